"""What each of the six product layers did for one answer: counts and names, no times."""

from __future__ import annotations

from collections import Counter
from typing import Any


def tell(told: dict[str, Any], memory: dict[str, Any], files: int) -> dict[str, Any]:
    """Return what each layer did."""
    spec, gate, stats = told["task_spec"], told["coverage_gate"], told["evidence_stats"]
    critic, plan = told["execution_critic"], told["prompt_plan"]
    kinds = Counter(one.get("kind", "") for one in told["layer3_observations"])
    return {
        "access_ux": {
            "question_characters": len(spec["question"]),
            "style": spec["style"],
            "budget": spec["budget"],
        },
        "task_compiler_plan": {
            "profile": spec["profile"],
            "source": told["mapping_decision"]["source"],
            "time": spec["time"],
            "kinds": spec["kinds"],
            "files": spec["files"],
            "symbols": spec["symbols"],
            "steps": len(told["execution_plan"]),
        },
        "memory_ingestion_structuring": {
            "units": told["layer1_search"].get("units", 0),
            "observations": len(told["layer3_observations"]),
            "kinds": dict(sorted(kinds.items())),
        },
        "storage_index": {
            "memories": memory.get("indexed", 0),
            "repo_files": files,
            "units": told["layer1_search"].get("units", 0),
        },
        "retrieval_ranking": {
            "found": stats["found"],
            "taken": stats["taken"],
            "deduplicated": stats["deduplicated"],
            "sessions": told["layer1_search"].get("retrieval", "none"),
            "memory": memory.get("retrieval", "none"),
            "probes": len(gate["probes"]),
        },
        "execution_critic_delivery": {
            "executor_mode": told["executor_mode"],
            "coverage_pass": gate["pass"],
            "stuck_detected": critic["stuck_detected"],
            "risk_level": critic["risk_level"],
            "parts": plan["parts"],
            "tokens": told["token_estimate"],
        },
    }
