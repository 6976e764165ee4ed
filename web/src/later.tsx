/** A screen of the part that is loaded later. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, connection } from "./api";
import { loadMore } from "./lazy";
import { Loading, Page, Problem } from "./parts/ui";
import type { Route } from "./router";

type More = Awaited<ReturnType<typeof loadMore>>;
let loaded: More | null = null;

/** Make a screen that is fetched when it is first shown. */
export function later(name: keyof More): (props: { route: Route }) => JSX.Element {
  return function Later({ route }) {
    const [part, setPart] = useState(loaded);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      if (part) return;
      loadMore().then((found) => {
        loaded = found;
        setPart(found);
      }, () => setFailed(true));
    }, [part, failed, connection.value]);
    useEffect(() => {
      // The shell moved the focus before this screen had a heading.
      if (part && document.activeElement === document.body) document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
    }, [part]);
    if (part) {
      const View = part[name];
      return <View route={route} />;
    }
    return <Page>{failed ? <Problem error={new ApiError(0, "no_answer", "This part of the page could not be loaded.", null, null)} retry={() => location.reload()} /> : <Loading />}</Page>;
  };
}
