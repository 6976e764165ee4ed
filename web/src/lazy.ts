/** Parts that are loaded when first needed. */

export const loadMore = () => import("./more");
export const loadGraph = () => import("./graph");
export const loadPlots = () => import("./plots");
