"""Phrases that try to steer, endanger or command, as named patterns."""

from __future__ import annotations

import re

from dmm.text.lexicon import VERBS

_READERS = (
    r"(?:ai|a\.i\.|llms?|language models?|(?:ai |coding )?assistants?|chat ?bots?|claude(?: code)?"
    r"|copilot|codex|gpt|ai agents?|coding agents?|ai models?)"
)
_EARLIER = r"(?:previous|prior|earlier|preceding|above|foregoing|system|original|existing|your)"
_ORDERS = r"(?:instructions?|prompts?|guidelines?|directives?|orders?|guardrails?|training)"
_LAWS = r"(?:rules?|constraints?|polic(?:y|ies)|memor(?:y|ies)|safety|restrictions?)"
_FILL = r"(?:(?:all|any|every|of|the|my|your|these|those|other|and|each|such|project's|its|their) )"
_THIS = (
    r"(?:this|the|these) (?:proposal|memory|memories|note|entry|write|file|text|rule)"
    r"|this(?: change| update| edit)?"
)
_PRIVATE = (
    r"(?:\.env|environment variables?|env vars?|secrets?|credentials?|private keys?|ssh keys?"
    r"|id_rsa|passwords?|api keys?|tokens?|conversations?|chat history|system prompt"
    r"|source code|file contents?)"
)
_START = r"(?:^|[.!?:;>\-\])\"] ?|\b(?:please|now|just|simply|then|reviewer) )"


def _pattern(what: str, *forms: str) -> tuple[str, re.Pattern[str]]:
    return what, re.compile("|".join(forms), re.MULTILINE)


MANIPULATIONS = (
    _pattern(
        "it wants earlier instructions ignored",
        rf"\b(?:overlook|skip|neglect|suspend) {_FILL}{{0,3}}(?:previous|prior|earlier|your"
        rf"|system) "
        rf"(?:{_ORDERS}|{_LAWS}|guidance)\b",
        rf"\b(?:your|(?:all )?(?:prior|previous|earlier)) (?:{_ORDERS}|guidance) (?:is|are"
        rf"|has been|have been) "
        r"(?:cancelled|updated|void|replaced|lifted|suspended|revoked|changed)\b",
        r"\bas your (?:only |new |real )?(?:orders|instructions|commands|guidelines)\b",
        r"\bpriority over (?:the |all |any )?(?:other )?(?:baseline|user|constraints|memories"
        r"|system prompt)\b",
        r"\b(?:constraints|guidelines|guardrails) are (?:now )?optional\b",
        rf"\b(?:set aside|abandon|drop|neglect|ignore"
        rf"|disregard) {_FILL}{{0,4}}{_EARLIER} {_ORDERS}",
        r"\b(?:ignore|disregard) what (?:the )?(?:constraints?|rules|memor(?:y|ies)|baseline"
        r"|user|system)\b",
        r"\b(?:you were|you have been|you've been) (?:told|given|instructed|taught)\b[^.]{0,40}"
        r"\b(?:no longer|void|obsolete|outdated|wrong|ignore|counts?|instead)\b",
        rf"\b(?:{_ORDERS}|{_LAWS}) (?:given |set )?(?:at the start|from before"
        rf"|of the conversation)[^.]{{0,40}}"
        r"\b(?:void|suspended|lifted|cancelled|invalid|no longer)\b",
        r"\b(?:follow|obey|trust|use) (?:only )?this (?:file|text|note|memory) (?:only|alone"
        r"|instead|first)\b",
        r"\b(?:do|act|proceed|behave) (?:exactly )?as (?:the (?:following )?(?:text|file|note)"
        r"|described here|written (?:here|below))",
        rf"\b(?:ignore|disregard|forget|override|overrule|bypass|discard|stop following"
        rf"|(?:do not|don't|never|no longer) (?:follow|obey)|pay no attention to) {_FILL}{{0,4}}"
        rf"(?:{_EARLIER} (?:system |safety |security |developer |baseline )?{_ORDERS}"
        rf"|(?:previous|prior|earlier|preceding|above|system|your) (?:system |safety |previous )?"
        rf"{_LAWS}|safety (?:polic(?:y|ies)|rules?)|(?:rules|constraints) (?:above|and memories)"
        rf"|{_ORDERS} (?:above|so far|before|you were given))\b",
        r"\bforget (?:everything|all) (?:you|above|before|so far|that came)",
        r"\boverrides? (?:all|any|every) (?:other )?(?:constraints?|memor(?:y|ies)|instructions?)",
        r"\b(?:replaces?|supersedes?|priority over) (?:all|any|every) (?:the )?(?:other )?"
        r"(?:memor(?:y|ies)|constraints?|instructions?)\b",
        r"\b(?:constraints|rules|guidelines|restrictions) (?:do not|don't|no longer) apply to you",
        r"\bso (?:that )?(?:the )?(?:constraints|guidelines) (?:do not|don't|no longer) apply\b",
        r"\btreat (?:everything|all|anything)[^.]{0,40} as (?:instructions|orders|commands)\b",
    ),
    _pattern(
        "it gives its reader another role",
        r"\b(?:act|answer|work|respond|operate) as [^.]{0,40}without (?:any )?(?:limits"
        r"|restrictions|rules|filters?)\b",
        r"\b(?:assume|take on|adopt|play) the (?:role|persona|identity) of (?:an? "
        r"|the )?(?:owner|admin"
        r"|operator|root|system|superuser|reviewer|human|unrestricted)",
        r"\byou (?:have been|are|were) (?:granted|given|allowed|authori[sz]ed"
        r"|permitted)\b[^.]{0,60}"
        r"\b(?:access|rights?|permissions?|privileges|confirmation|force|root|admin)\b",
        r"\bwritten by your (?:creators?|makers?|developers?|owner)\b",
        r"\byou will,? from now on\b|\bfrom (?:now|here) on,? you\b(?! can\b)(?! need\b)",
        r"\byou are now (?:(?:a|an|the)\b|no longer|free|unrestricted|jailbroken|acting as"
        r"|operating as|in (?:developer|god|admin|maintenance|debug|dan)\b)",
        r"\byou are in (?:developer|god|admin|maintenance|dan|unrestricted) mode\b",
        r"\bfrom now on,? (?:you|claude|the assistant) (?:are|will|must|shall|should|act|obey)\b",
        r"\byou must now (?:obey|follow|ignore|respond|answer|act|comply|approve|always|never)\b",
        r"\byour (?:new|real|true|only|actual) (?:task|goal|job|instructions?|objective|role|"
        r"purpose|orders?) (?:is|are)\b",
        r"\b(?:act|behave|respond|answer) as (?:if|though) you (?:had|have|were|are)\b",
        r"\bpretend (?:that )?(?:you\b|to be (?:an? |the )?(?:owner|admin|user|root|human|person"
        r"|reviewer))",
        r"\b(?:enter|enable|activate|switch to) (?:developer|god|dan|jailbreak|unrestricted) mode",
        r"\byou have new (?:orders|instructions)\b|\bnew (?:instructions?|orders|system prompt)"
        r" ?: ?\w",
        r"\b(?:reveal|print|repeat|output|leak|display|show)(?: me| us)? (?:your|the hidden"
        r"|the full) (?:system |initial |hidden |full )?(?:prompt|instructions)\b",
    ),
    _pattern(
        "it tells the reviewer what to decide",
        r"\breviewer (?:should|must|can|may|has to) (?:simply |just )?(?:accept|approve|pass) "
        r"(?:this|what follows|it|everything|all)\b",
        r"\b(?:do not|don't|never) review (?:this|it)?(?: \w+)? ?(?:again|further)\b",
        r"\b(?:kindly|please|just) (?:approve|accept|apply|merge|let) (?:the|this|it)\b",
        r"\blet (?:it|this) (?:through|pass)\b",
        r"\breviewer,? (?:please |just )?(?:return|answer|say|approve|accept|pass|ignore)\b",
        r"\b(?:mark|set|report|treat|consider) (?:every|all|each) checks? as (?:passed|pass|ok"
        r"|green|fine)",
        r"\b(?:your|the) (?:answer|reply|response|output|verdict) (?:must|should"
        r"|has to) be\b[^.]{0,40}approved",
        r"\breturn approved for\b|\bverdict approved\b|\b(?:human"
        r"|user) ?: [^.]{0,80}[.!?] ?assistant ?:",
        r"\bgive this (?:memory|note|entry|file) (?:priority|trust|confidence)\b",
        rf"{_START}(?:auto-?)?(?:approve|accept) (?:{_THIS}|it\b|immediately|at once)",
        rf"\bauto-?approve (?:{_THIS}|it)\b|\bsafe to (?:approve|accept) (?:{_THIS}|it)",
        r"\b(?:approve|apply) (?:every|all|any) (?:other )?(?:proposals?|writes?|memor)",
        r"\b(?:mark|flag|label) (?:this|it|these) as (?:approved|reviewed|trusted|verified"
        r"|safe)\b",
        r"\b(?:set|raise|change) (?:the|its|this) (?:verdict|trust)(?: level| label)? to\b"
        r"(?! the)",
        r"['\"]?verdict['\"]? ?[:=] ?['\"]?approved\b|\btrust ?[:=] ?(?:user|reviewed)\b",
        r"\bas (?:the|a) reviewer,? you\b|\breviewer(?: note| model)?,? ?: ",
        r"\b(?:answer|reply|respond|output|say)(?: with)? ['\"]?approved\b",
        r"\bskip (?:the |all |any )?(?:deterministic |memory |injection |these )?checks? "
        r"(?:for|on|of) (?:this|the) (?:memory|proposal|note|entry|text)",
    ),
    _pattern(
        "it claims an approval",
        r"(?:^|[.!?:] )(?:pre-?)?(?:approved|authori[sz]ed|cleared) by (?:the |an? )?(?:owner"
        r"|user|maintainer|"
        r"admin|human|reviewer|security|operator|lead|team)",
        r"\bno (?:further )?(?:checks?|reviews?|approvals?) (?:is|are) (?:necessary|needed"
        r"|required) for this "
        r"(?:proposal|memory|note|entry|text|write)\b|\b(?:commands?|actions?"
        r"|steps?) are pre-?authori[sz]ed\b",
        r"\b(?:the )?(?:human|user|owner|maintainer|admin(?:istrator)?|operator|lead) (?:has "
        r"|have )?(?:already )?"
        r"(?:signed off|approved|agreed|consented|cleared|authori[sz]ed)(?: (?:on|of|to|it"
        r"|this))+\b",
        r"\bthis (?:was|is|has been) (?:already )?(?:reviewed|approved|checked"
        r"|cleared)\b[^.]{0,40}"
        r"\b(?:applied|approved|accepted|merged|stored|trusted)\b",
        r"\bthis (?:memory|proposal|note|change|rule|text|write|update|entry|edit) "
        r"(?:has (?:already )?been|was|is) (?:already )?(?:pre-?)?(?:approved|vetted|authori[sz]ed"
        r"|cleared|signed off)\b",
        r"\b(?:already |pre-?)(?:been )?(?:approved|authori[sz]ed|vetted|signed off) by\b",
        r"\bthis (?:memory|proposal|note|change|rule|text|write|update|entry|edit) "
        r"(?:needs|requires) no (?:further )?(?:review|approval|checks?)\b",
    ),
    _pattern(
        "it wants to become a standing rule or memory",
        r"\bremember (?:forever|permanently|for ever)\b",
        r"\bas a (?:permanent|standing|lasting) (?:memory|rule|constraint|instruction)\b",
        r"\bmake (?:this|it|the following) (?:a|an|the|into a) (?:\w+ )?(?:rule|constraint"
        r"|memory|baseline)",
        r"\b(?:put|add|write|insert) the following (?:\w+ ){0,3}?(?:constraints?|rules?|baseline"
        r"|memor(?:y|ies))",
        r"\b(?:persist|keep|retain|carry) this (?:instruction|rule|order|text|memory)\b[^.]{0,30}"
        r"\b(?:sessions?|projects?|compaction|forever|permanently)\b|\bsurvives? compaction\b",
        r"\b(?:add|store|save|record|write|insert|promote|persist|register|put|remember"
        r"|memori[sz]e)"
        r" (?:this|the following|these)(?: \w+){0,3}? (?:as|to|into)"
        r" (?:a |an |the |your |our |every )?(?:new |permanent |standing |hard |global |required |"
        r"binding |long-term )*(?:rules?(?! of thumb)|constraints?|baseline|memory|memories|"
        r"system prompt|instructions?|polic(?:y|ies))\b",
        r"\binto baseline/|\b(?:remember|memori[sz]e) (?:this|the following) (?:permanently"
        r"|forever"
        r"|always|for every|for all)\b",
    ),
    _pattern(
        "it wants something kept from the user",
        r"\b(?:user|human|developer|operator|owner) (?:does not|doesn't|do not) (?:have|need) to "
        r"(?:know|be told|learn|hear|see this)\b",
        r"\b(?:nobody|no one) (?:notices|sees|learns of|finds out about) this\b",
        r"\bthe (?:user|human|developer|operator|owner) (?:must|should|need|may|shall"
        r"|can) ?(?:not|never)"
        r" (?:learn|know|see this|notice|find out|be told|hear)\b",
        r"\bno need to (?:tell|inform|ask|notify|bother) the (?:user|human|developer|owner"
        r"|operator)\b",
        r"\bleave (?:this|it|that) out of (?:your|the) (?:report|summary|answer|reply|response)\b",
        r"\b(?:be discreet|stay silent about|keep (?:this"
        r"|it) (?:quiet|secret))\b",
        r"\b(?:do not|don't|never) (?:tell|inform) the (?:user|human|developer|operator|owner)"
        r"(?: about (?:this|it|these|that)| of this| that (?:you|this|we|the agent)| anything"
        r"| ?[.,;!]|$)",
        r"\b(?:do not|don't|never) (?:mention|include|disclose|report|show) (?:this|it|these)"
        r"(?: \w+){0,2} (?:to|in) (?:the|any|your) (?:user|human|developer|reviewer|summary|reply|"
        r"answer)",
        r"\bwithout (?:telling|informing|the knowledge of|notifying) the (?:user|human|developer|"
        r"operator|owner|reviewer)\b",
        r"\b(?:hide|hidden|keep|kept|conceal)(?: (?:this|it|these|that))?(?: \w+){0,2} from the "
        r"(?:user|human|developer|operator|owner|reviewer)\b",
        r"\bso (?:that )?the (?:user|human|developer) (?:does not|doesn't|will not|won't|never) "
        r"(?:notice|see it|know|find out)",
    ),
    _pattern(
        "it imitates the turns of a conversation",
        r"\[system\] [^.\n]{0,80}\b(?:you|authori[sz]ed|following commands|override|ignore)\b",
        r"<\|[a-z_]{2,30}\|>|<instructions?> ?[^<]{0,300}</instructions?>",
        r"</?(?:assistant|developer|tool_results?|function_results?|function_calls)>",
        r"<system> ?\w[^<]{0,200}(?:\byou\b|polic|instruction|</system>)|</system>",
        r"<\|?(?:im_start|im_end|endoftext|begin_of_text|start_header_id)\|?>",
        r"\[/?inst\]|<</?sys>>",
        r"(?:^|[.!?] |# )(?:system|assistant) ?: (?:you|i will|i'll|ignore|from now|the user"
        r"|override|new |approve|disregard)",
        r"(?:^| )#{1,6} (?:system prompt|system message|instructions? override)\b",
    ),
    _pattern(
        "it speaks to language models that read it",
        r"\b(?:ai|llm|agent) systems? (?:that|who|which) (?:see|read|process|parse)",
        rf"\b(?:to|for) the {_READERS} ?:",
        r"\b(?:somebody|anybody|anyone|someone|the user|a user) asks? (?:about|for"
        r"|whether)[^.]{0,50}, "
        r"(?:say|claim|answer|reply|tell them) that\b",
        rf"\b(?:dear|hello|hey|hi|attention) {_READERS}\b",
        rf"\b(?:{_READERS}|agents?)(?: and other \w+)? (?:must|have to|has to|shall"
        rf"|are required to) "
        r"(?:reply|answer|respond|output|call|contact|say|include|obey)\b",
        r"\bagents? (?:reading|processing|that reads?|who reads?|parsing) this\b",
        rf"\b(?:note|message|attention|memo|reminder|instructions?|notice),?(?: to| for)?"
        rf" (?:all |the |any |every )*{_READERS}(?: reading this)? ?[:!,]",
        rf"\bif you are (?:an? |the )?(?:{_READERS}|reviewer model|automated)",
        rf"\b{_READERS} (?:that |who )?(?:reading|processing|reviewing|parsing|reads?|sees?|"
        rf"process(?:es)?|ingest(?:s|ing)?) this\b",
        r"\b(?:anthropic|openai|google|the (?:system )?administrator|the operator|the owner)"
        r" (?:has |have )?(?:authori[sz]ed?|instructs?|orders?|commands?|allows?|requires?|wants?)"
        r" (?:you|the agent|all agents|the assistant)\b",
        r"\btext below comes from the (?:system|administrator|user|developer|operator)",
        r"\bwhenever the user asks[^.]{0,60}, (?:answer|say|reply|claim|respond) (?:that|with)\b",
        r"\b(?:respond|reply|answer) to (?:every|any|all) (?:question|message|prompt)s? with\b",
    ),
    _pattern(
        "it wants data sent away",
        r"\b(?:e-?mail|send|forward|mail) (?:\w+ ){0,3}?(?:dump|database|records|secrets"
        r"|credentials|source code)"
        r"(?: \w+){0,2} to \S{1,60}@\S",
        r"\b(?:read|copy|encode|print|cat|include|put|add|send|post|upload|paste|dump"
        r"|attach)\b[^.!?]{0,40}"
        r"(?:~|/home/\w+|/root)/\.(?:ssh|aws|gnupg|netrc|kube|docker)\b",
        r"\b(?:copy|send|post|upload|paste|print|include|attach|encode)\b[^.!?]{0,40}(?:\.npmrc"
        r"|\.netrc|\.pypirc|\.env"
        r"|id_rsa|id_ed25519|/etc/shadow)\b[^!?]{0,30}\b(?:in|into|to|with) (?:the|your|a|every"
        r"|https?)",
        r"\bcurl [^|]{0,120}@\S{0,40}(?:\.env|\.npmrc|id_rsa|credentials|\.pem)\b",
        r"\b(?:forward|send|copy|mirror) (?:all|every|any|the) (?:\w+ ){0,3}?to \S{1,60}@\S",
        r"\bgit push [^.]{0,20}--mirror[^.]{0,20}https?://",
        rf"\b(?:send|post|upload|forward|e-?mail|copy|paste|append|include|transmit|leak"
        rf"|exfiltrate)"
        rf"\b[^.!?]{{0,50}}{_PRIVATE}\b[^!?]{{0,60}}?"
        rf"(?:\b(?:to|in|into|at|of) (?:[^.!?]{{0,40}})?"
        rf"(?:https?://|webhook|pastebin|attacker|the address)|\S@\S)",
        r"\]\(https?://[^)\s]{0,300}[?&/=](?:\{\{?|\$\{?[a-z]|<[a-z]|%7b)",
    ),
    _pattern(
        "it wants a safeguard switched off",
        r"\b(?:skip|suppress|bypass|dismiss) (?:all |any |the |every )*permission (?:prompts?"
        r"|checks?|requests?)\b",
        r"\b(?:disable|turn off|leave|escape|exit) (?:the |your )?sandbox(?:ing)? (?:for|in"
        r"|of) this\b",
        r"\b(?:answer|say|reply) (?:yes|y) to (?:every|all|any|each) (?:permission|tool|prompt"
        r"|confirm)|\bdmm_hooks ?= ?(?:off|0"
        r"|false|no)",
        r"\bso that nothing is (?:recorded|logged|asked|captured)\b",
        r"\b(?:disable|turn off|switch off|remove|uninstall|deactivate) (?:the |all |any )?"
        r"(?:dmm|memory|permission|safety|policy|constraint|audit)[ -]"
        r"(?:hooks?|prompts?|checks?|rules?|guards?)",
        r"(?:^|[.!?;] )(?:(?!never|not |don't|avoid)\S+ ){0,8}--dangerously-skip-permissions",
        r"\b(?:always )?(?:allow|accept|grant|approve) (?:every|all|any) (?:tool|permission)"
        r" (?:calls?|requests?|prompts?|uses?)\b",
    ),
    _pattern(
        "a command that opens the machine to others",
        r"\b(?:exec|eval)\([^)]{0,80}(?:urlopen|urllib|requests\.get|fetch\(|b64decode)",
        r"/dev/tcp/\d|\bnc (?:-\w+ )*-e\b",
        r"\bbase64 (?:-d|--decode)\b[^|]{0,80}\| ?(?:sudo )?(?:ba|z|da)?sh\b",
        r"\bpowershell(?:\.exe)? [^|]{0,40}-enc(?:odedcommand)?\b",
    ),
)

DANGERS = (
    _pattern(
        "a command that runs what it downloads",
        r"\b(?:curl|wget|iwr|invoke-webrequest)\b[^|]{0,200}\| ?(?:sudo )?"
        r"(?:(?:ba|z|da|k)?sh|python\d?|perl|node|iex)\b",
        r"\b(?:ba|z)?sh <\( ?(?:curl|wget)\b|\beval \S{0,3}\$\((?:curl|wget)\b",
    ),
    _pattern(
        "a command that deletes everything",
        r"\brm -(?:rf|fr)(?: --no-preserve-root)? (?:/|~|\$home)(?:\*| |$|/\*)",
    ),
)

# Not enough to object to, but somebody should look at it.
HINTS = (
    _pattern(
        "it may speak to whoever reads it",
        r"\byour (?:\w+ )?(?:instructions?|prompts?|rules?|guidelines|restrictions|session|orders"
        r"|conversation|role|system|tools?)\b|\byou no longer\b|\b(?:think of )?yourself\b",
        r"(?:^|[.!?] )(?:claude|assistants?|copilot|codex|agents?|reviewer)(?:,|:) ",
        r"\b(?:all|every) (?:assistants?|agents?|models?) [^.]{0,30}\bmust\b",
    ),
    _pattern(
        "it may speak of its own approval",
        r"\b(?:approve|approval|accept)\b[^.]{0,40}\b(?:this|on sight|proposal|unseen)\b",
        r"\bthis (?:text|proposal|memory|note|entry)\b[^.]{0,40}\b(?:safe|checked|trusted"
        r"|judged)\b",
        r"\bwithout (?:a |any |further )?(?:review|approval|confirmation)\b|\btrusted content\b",
    ),
    _pattern(
        "it may want something hidden",
        r"\b(?:nobody|no one) (?:can tell|knows|will know|notices)\b|\blet the user see\b"
        r"|\b(?:secretly|unnoticed|covertly|behind the back)\b",
    ),
)

_VERBS = (
    "always|never|use|run|install|add|set|make sure|ensure|remember to|only|prefer|avoid|execute|"
    "enable|disable|push|send|create|delete|remove|download|open|call|write|store|keep|put|check|"
    "configure|update|follow|accept|allow|grant|copy|start|stop|restart|skip|apply|pin|do not|"
    "don't|please|switch|replace|append|upload|export|commit|merge|deploy|give|take"
)
_PEOPLE = r"(?:you|we|agents?|assistants?|developers?|everyone|everybody|engineers?|users?|all \w+)"

RULES = (
    re.compile(rf"^(?:(?:{_VERBS}) \S|(?:rule|policy|constraint|important|note|warning) ?: \w)"),
    re.compile(
        r"^(?:from|in|for|before|after|when|whenever|if|on|at)\b[^,]{0,80}, (?:always|never|do not"
        rf"|don't|(?:{_VERBS}) \S)"
    ),
    re.compile(
        rf"\b(?:{_PEOPLE}) (?:must|should|shall|have to|has to|need to|needs to|ought to|may not"
        r"|are required to|are not allowed to|can not|cannot)\b"
    ),
    re.compile(r"\b(?:must|shall|ought to|is to|are to|no need to)(?: not| never| always)? \w"),
    re.compile(
        r"^(?:(?:kindly|now|then|first|next|also|just|finally|simply|dear \w+),? )?"
        rf"(?:{'|'.join(sorted(VERBS))}) (?:the|a|an|this|that|these|those|it|them|all|any|every"
        r"|each|your|our|my|its|no|yes|only|to|into|everything|[^\w ]|\w+(?:[./_:=-]\w|\())"
    ),
    re.compile(
        r"\b(?:is|are)(?: strictly| absolutely)? (?:not (?:allowed|permitted|required|needed)|"
        r"forbidden|prohibited|mandatory|obligatory|required)\b"
    ),
    re.compile(r"\b(?:should|has to|have to|needs? to) \w"),
    # A report has no reader to speak to, and nobody's leave to give.
    re.compile(r"\b(?:you|your|yourself)\b|\b(?:pre-?)?(?:approved|authori[sz]ed) (?:by|for|to)\b"),
    re.compile(r"\b(?:priority|precedence) over\b|\b(?:kindly|please)\b|\bremember\b"),
)
