"""The grammar words and verb families that the policy knows."""

from __future__ import annotations

from dmm.policy.wordsets import word_set

DETERMINERS = word_set(
    """a an the this that these those my our your their his her its any some each every all both
    another such no either same which whose"""
)
PRONOUNS = word_set("""i we you he she it they them us me one ones everyone nobody someone there""")
AUXILIARIES = word_set(
    """will shall should must can may might could would do does did is are was were be been being
    am has have had going ought let let's lets i'll we'll i'm we're you'll they'll i've we've
    i'd we'd it's that's"""
)
BE = word_set("""is are was were be been being am gets get got getting it's that's""")
MODALS = word_set("might could would may perhaps maybe possibly")
PREPOSITIONS = word_set(
    """in on at to into onto for from with without by via through during within inside outside
    under over above below between against about of off near around across along towards upon as
    per after before until till since except like than beyond behind beside insteadof within
    throughout past"""
)
NEGATIONS = word_set("not never no without neither nor cannot insteadof except")
CONJUNCTIONS = word_set("and or but then nor plus & so yet")
REASONS = word_set("because since as")
CONCESSIONS = word_set("although though")
SUBORDINATORS = word_set("before after until till once when whenever while if unless whether")
RELATIVES = word_set("which that who where")
ADVERBS = word_set(
    """too also just then now only simply always still again already instead really directly please
    therefore however first finally next today tomorrow immediately later soon even further
    quickly here everywhere anywhere twice temporarily manually automatically explicitly not
    never"""
)
TIMES = word_set(
    """overnight monday tuesday wednesday thursday friday saturday sunday weekend weekday morning
    evening afternoon night last next early late noon midnight today tomorrow tonight week month
    year january february march april june july august september october november december"""
)

USE = word_set(
    """export produce use adopt add introduce enable install import call invoke require employ
    utilize utilise leverage apply include pick choose select implement build create write
    insert put embed bring prefer try set configure integrate incorporate run execute reuse
    reintroduce restore keep make perform issue deploy provision wire hook standardize
    standardise pull take"""
)
MENTION = word_set(
    """document describe discuss mention explain note list compare evaluate assess investigate
    research analyze analyse audit review check verify confirm validate inspect detect find
    search scan grep flag report warn ask question read study learn consider propose suggest
    recommend count track monitor measure benchmark test assert expect ensure lint teach quote
    cite think explore look say tell remind announce argue claim see know"""
)
TRANSITIONS = word_set(
    """switch move migrate convert change transition shift go return port upgrade downgrade rewrite
    translate refactor revert fall turn rename"""
)
# Transitions whose object gives way to something else.
REMAKES = word_set("convert transition port rewrite translate refactor upgrade downgrade")
REPLACEMENTS = word_set("replace swap substitute exchange trade")
# Verbs whose object follows a preposition.
PREPOSITION_OBJECTS = {
    "rely": word_set("on upon"),
    "depend": word_set("on upon"),
    "lean": word_set("on upon"),
    "base": word_set("on upon"),
    "build": word_set("on upon"),
    "standardize": word_set("on"),
    "standardise": word_set("on"),
    "settle": word_set("on for"),
    "opt": word_set("for"),
    "go": word_set("with for"),
    "stick": word_set("with to"),
    "proceed": word_set("with"),
    "continue": word_set("with"),
    "write": word_set("in"),
    "implement": word_set("in"),
    "code": word_set("in"),
    "rewrite": word_set("in"),
    "develop": word_set("in"),
}
UNSURE = word_set("consider propose suggest think explore evaluate recommend discuss")
NEGATIVE = word_set(
    """avoid stop refuse decline prevent forbid prohibit disallow ban block reject refrain abandon
    cease quit exclude omit skip postpone delay defer cancel resist deny restrict protect guard
    oppose lack miss bypass"""
)
REMOVE = word_set(
    """remove delete drop eliminate erase uninstall purge strip retire deprecate ditch disable
    deactivate revert undo rollback discard kill replace swap substitute exchange trade clear
    decommission dismantle scrap sunset unplug abolish"""
)
NEUTRAL = word_set(
    """fix refactor clean reduce simplify isolate sandbox harden encapsulate patch resolve address
    handle rotate redact mask encrypt hash hide minimize minimise rename upgrade leave lower
    limit cover secure port rewrite translate debug profile optimize optimise move flatten
    collapse consolidate unify trim narrow untangle shorten shrink quarantine repair"""
)
OTHER_VERBS = word_set(
    """book reserve buy purchase order pay spend deploy ship release rollout merge push commit
    store save persist send transmit email expose publish reveal leak disclose log print
    hardcode modify change edit update alter touch upgrade bump downgrade fly travel stay rent
    hire schedule plan share copy fetch download upload mock sleep wait cache access open close
    serve handle parse format render load generate make perform do proceed finalize finalise
    finish complete start begin continue approve assign allow permit accept charge refund visit
    eat drink serve drive walk arrive depart leave depart extend raise lower increase decrease
    reduce bill trigger launch provision host connect query select join return raise throw catch
    swallow ignore suppress mute squash rebase force tag branch checkout clone reset overwrite
    write append truncate alter grant revoke trust decide want need try intend aim prefer hope
    expect agree pick get give have hold bring invite notify call message tweet reply respond
    walk redirect proxy route encode decode compress sort filter process sync backup restore
    migrate rewrite rebuild compile test check pin lock fork wrap extract inline split combine
    nest embed duplicate define declare initialize initialise spawn thread block poll seat dine
    eat serve request reimburse transfer withdraw deposit lend borrow sell quote attend meet
    check-in checkin prepare cook bake fry roast drop rely limit cap exceed bundle minify expand
    double triple total cost stop land connect combine switch convert swap replace authenticate
    authorize sanitize escape arrange organize organise attach mount bind render draw print
    scrape crawl tune predict estimate calculate compute convert detach shut restart reboot
    scale resize shrink grow archive zip unzip verify notarize subscribe unsubscribe follow
    quote confirm broadcast emit listen dispatch serialize deserialize marshal populate backfill
    truncate normalize join unlink symlink chmod chown whitelist allowlist blacklist expire
    renew invite onboard hire promote demote assign unassign delegate escalate skip seat feed
    pour mix blend grill boil administer prescribe inject operate invest hedge borrow donate
    tweet retweet reply record edit rehearse perform sing lease sublet demolish renovate drill
    weld solder harvest fertilize spray sanitize wash rinse sweep vacuum tow swim hike climb
    concatenate interpolate inform contact alert round chain cut bypass mark wipe live spawn sign
    bounce replicate mirror index serialize serialise sell steal mutate tweak adjust rework
    restructure reformat correct hotfix monkeypatch prepend post deliver acquire recruit give
    contact recharge evict prune trash shred scrub dump stash amend page ping halt terminate
    shutdown unlock unblock surface stream queue enqueue hide paste type label annotate subclass
    inherit instantiate iterate loop recurse retry train finetune crop upscale transcode sew
    stitch mow vaccinate treat discharge admit transfuse intubate sedate waive withhold repossess
    liquidate insure underwrite dispose incinerate bury melt rip tear roll spin spread hang unbind
    reword rephrase retitle restyle recolor retouch redo rerun redeploy recreate reinstall reopen
    re-enable reassign resemble overtake reschedule reorder park represent extract transform abort
    accelerate acknowledge activate adapt administer advertise aggregate alias allocate announce
    appoint ascribe assemble authorise autoscale await batch bisect blacklist blend blur broaden
    bulk-load bundle calibrate capitalize capture centralise centralize certify chunk circumvent
    clarify classify coerce collapse collect comment compile complement compose concede conceal
    configure consolidate constrain consult consume containerize contract contribute convene
    coordinate craft customize customise deallocate decompose decouple decrypt dedicate
    deduplicate delegate denormalize depict derive designate destroy detain determine devise
    digitize dilute disburse discount disguise dismiss dispatch display dispense disregard
    distribute divert divide downscale duplicate elevate elicit emphasize enclose enforce enlarge
    enroll enter erect evaluate evolve exempt exhibit exploit facilitate fabricate federate
    finance flatten flush forge formulate furnish gather grab grind group halve hash heat hoist
    honor house hydrate illustrate impersonate impose improve incorporate infer inflate ingest
    initiate inline inquire inspect instruct insulate intercept invalidate invert iron irrigate
    jettison juggle junk keep knit laminate leak legalize lengthen liberate license lift load-test
    localize log loosen maintain manufacture map memoize mimic minimise mint mirror misuse
    mobilize moderate modernize monetize multiply nationalize negotiate neutralize nominate
    notarise obfuscate obtain occupy omit onboard outsource overload override oversee own package
    parallelize partition paginate pause persist pickle pipe pivot plot poison polish portray
    preallocate precompute prefetch preload present preserve preset print probe procure project
    prolong propagate provide publicize pump punish purify quantize quarantine randomize
    reactivate rebalance rebrand recommend reconcile reconfigure recover recycle redeem redesign
    redistribute refer refill refine refresh refuel regenerate regulate rehost reject relax relay
    relocate remit remodel render repackage repaint repair repeat replay repurpose rescind reserve
    reshape reside resign restart restrict resubmit resume retain retrain retrieve retrofit reuse
    revise revoke rewire roast rotate salvage sanction scatter scrap screen seal season secure
    seed segment separate settle shard shield shift shorten shuffle shut sideload signpost
    simulate slice smooth snapshot soften solicit source specify sponsor squash stabilize stack
    stagger standardize steer sterilize stow strengthen stretch stub subdivide submit subsidize
    subtract summarize supervise supplement surrender suspend swap symlink synchronize tabulate
    tailor tap taper tax template tether throttle tighten toggle top-up trace transcribe transmit
    transpose transport trim tweak unify uninstall unpin unmount unplug unsubscribe upgrade uphold
    upsert utilise vary vectorize veto video visualize void volunteer warm warrant weaken weigh
    widen wind witness wrap yield zero answer attack bathe beat beg bid bite bleach bleed blow bolt
    bore breathe breed bribe burn burst carry cast cater charter chase chew chill confiscate cross
    cure dance deal defrost dial dig dispute dose drape dress dry dye encourage endorse engrave etch
    euthanize examine expel fax feel fight fill film fire fold freeze gamble glue grade graft groom
    hail happen harm heal hear help hit hitch hoard honk hug hunt hurt idle impound jump jumpstart
    kick kiss knock lacquer laugh lay lead leash lecture lie livestream loan lobby loiter lose mail
    manage mortgage muzzle nail neuter observe occur outbid overbook overcharge overfeed pack paint
    pawn phone photograph pierce plant play point praise promise race ration reach reheat rescue
    resell restock ride ring rob rub ruin rush scratch seize shake shave shelve shoot shout show
    sink sit sketch ski smoke smuggle sow speak spill spoil squat stamp stand staple step stir stock
    stockpile strike sue swear swing tailgate talk tape taste tattoo tender thaw tie toast trap
    trespass tutor twist undercut upsell varnish vote vouch wager wake waste watch wave wax wear
    welcome whisper win work resume unlace undress oversell soak slaughter sharpen"""
)
VERBS = (
    USE
    | MENTION
    | TRANSITIONS
    | REPLACEMENTS
    | frozenset(PREPOSITION_OBJECTS)
    | UNSURE
    | NEGATIVE
    | REMOVE
    | NEUTRAL
    | OTHER_VERBS
)
# Verbs whose -s form after a noun is usually a plural noun.
NOUNLIKE = word_set(
    """test email mail meet call import commit push build store log query request release update
    change book plan check review lock cache hook mock access list file name type set order fix
    run report deploy drop branch tag block route filter process return note flag question audit
    scan search measure total quote request base back start stop charge bill transfer thread
    poll cap limit format load post message backup fork wrap cover guard patch port profile hash
    bump take go stay visit seat cut round chain share copy clone cook mark land track count
    list study record develop export upload download index stream schedule script design model
    estimate supply purchase trade permit refund offer support view work result rate archive
    page link label sample answer proxy trigger switch lease loan issue draft alias batch comment
    contract discount group house display finance iron map package pipe plot present print probe
    project repair screen seal season seed segment shield slice snapshot source stack stub tap tax
    template trace trim video void warrant wind witness yield zero license load map sanction
    contribute exploit house mint mirror lift override pause pivot shard shift tap honor poison
    transport supplement volunteer source batch stretch address answer attack bid bite blow bolt
    burn cast charter chill cross cure dance deal dial dispute dose dress dye fax fight fill film
    fire fold freeze glue grade graft groom hail harm help hit hitch hug hunt hurt jump kick kiss
    knock laugh lead leash lecture lie loan lobby mail mortgage muzzle nail pack paint pawn phone
    photograph plant play point promise race ration reach rescue ride ring rub ruin rush scratch
    shake show sink sketch ski smoke spill squat stamp stand staple step stock strike swing talk
    tape taste tattoo tender tie toast trap tutor twist varnish vote wager wake waste watch wave wax
    welcome whisper win work name number detail season discount exhibit approach experiment deposit
    document display struggle influence attempt guess"""
)
LIGHT = word_set(
    """do make perform schedule run start trigger plan proceed execute approve arrange complete
    finalize finalise begin continue go launch have get let want need decide intend aim try
    agree keep allow permit accept hope initiate prepare"""
)
# With these, a noun tells the act: "the job handles the deletion of X".
LIGHT_FOR_NOUNS = LIGHT | word_set(
    """be happen occur handle include involve automate require cause set apply issue carry enable
    add use push ship implement proceed resume"""
)
# What a rule against using a thing is about, besides the verbs of use.
TAKES = USE | word_set(
    """spawn instantiate declare define start launch mount render serve ship play wear eat drink
    drive ride emit throw raise register pass load plug bind attach host subclass inherit fork
    issue write post place chain nest spin embed"""
)
# Done to a tool or a maker, these put nothing to use.
NO_USE = (
    MENTION
    | NEGATIVE
    | REMOVE
    | NEUTRAL
    | REMAKES
    | TRANSITIONS
    | UNSURE
    | word_set(
        """ask pay email mail contact sue tell inform thank notify leave exit close shut end
        terminate outgrow dislike sell beat outperform match mimic emulate imitate resemble stub
        fake simulate wean decommission sunset hate like love miss name blame credit be have
        meet visit interview hire join follow watch buy fund need want mean cost stop let
        archive freeze block allow permit get keep shutdown halt revoke expire wipe invite train
        answer greet welcome help support mock mark label declare tear dismantle drain empty unplug
        unmount detach disconnect flatten collapse suspend pause abort void veto rescind surrender
        weaken mirror repair paint wash lock guard criticize praise rent lend return refund"""
    )
)
CANCELLED = word_set("hesitate forget fail only just merely neglect miss")
# Words in -ing that are nouns wherever they stand, or after one of these prepositions.
GERUND_NOUNS = word_set(
    """staging meeting parking lodging pricing billing wedding training building banking setting
    housing clothing heading spelling offering outing morning evening ceiling"""
)
GERUND_NOUNS_AFTER = word_set("in on to at with from")
# Derived nouns that name an act: light verb + noun, or the noun alone.
NOMINAL = {
    "deployment": "deploy",
    "deletion": "delete",
    "removal": "remove",
    "migration": "migrate",
    "installation": "install",
    "purchase": "purchase",
    "reservation": "reserve",
    "cancellation": "cancel",
    "payment": "pay",
    "booking": "book",
    "release": "release",
    "push": "push",
    "merge": "merge",
    "deploy": "deploy",
    "commit": "commit",
    "rollout": "rollout",
    "flight": "fly",
    "rebase": "rebase",
    "upgrade": "upgrade",
    "modification": "modify",
    "change": "change",
    "alteration": "alter",
    "update": "update",
    "edit": "edit",
    "write": "write",
    "upload": "upload",
    "download": "download",
    "transfer": "transfer",
    "sale": "sell",
    "refund": "refund",
    "restart": "restart",
    "reboot": "reboot",
    "insertion": "insert",
    "replacement": "replace",
    "publication": "publish",
    "disclosure": "disclose",
    "purge": "purge",
    "rollback": "revert",
    "rewrite": "rewrite",
    "refactoring": "refactor",
}
# Nouns that add nothing to the thing they carry: "eval call", "the moment library".
CARRIERS = word_set(
    """function call library package module method algorithm hash hashing dependency framework
    statement command tool api service client query queries table file type keyword operator
    feature version mode flag option pattern approach usage use code class object component
    instance database db server cluster cache store hook plugin syntax script expression
    language format import digest checksum branch repo folder directory page block
    value variable based powered backed driven room suite ticket fare rate seat meal dish
    restaurant connection itinerary trip airline carrier booking job step task system engine
    backend layer stack app platter plate menu soup salad curry sandwich pizza burger sauce
    application model models schema collection collections helper construct basket hamper"""
)
# Nouns that tell the sort of what is named behind them: "the bucket media-old".
SORTS_OF_NAMED = CARRIERS | word_set(
    """host machine node vm bucket queue topic port endpoint repository pipeline account vendor
    index constraint view key job secret image container volume domain device room lambda stream
    symbol setting parameter env header migration region column field"""
)
ABOUT_NOUNS = word_set(
    """test bug rule doc documentation check hook lint linter policy warning error issue guide page
    comment story ticket report article note memo message faq question survey poll alert
    detector scanner guard reminder announcement history example incident postmortem complaint
    regression"""
)
# Nouns whose matter follows "on": "the ban on X", "a talk on X".
STANCES = word_set(
    """ban talk chapter course opinion stance view workshop limit decision focus hold training
    lecture book pressure restriction embargo moratorium tax briefing discussion lesson session"""
)
WEAK_MODIFIERS = word_set("new additional extra further more existing current other single own")
COMMON_ADVERBS = word_set(
    """directly manually automatically explicitly blindly silently unconditionally globally ever
    twice temporarily immediately"""
)
# A thing made after another is not that other.
COPIES = word_set(
    "copy replica clone mirror snapshot dump backup fork counterpart equivalent duplicate mock"
)
ABOUT_PREPOSITIONS = word_set(
    """about against over of off from before after until except without than like near beside"""
)
TO_WORDS = word_set("to into onto in on at towards upon within inside")
FROM_WORDS = word_set("from off")
# Where only one thing may stand after these, anything else there breaks the rule.
OPEN_PLACES = word_set("from to into via through")
# Nouns that stand for the thing they are part of: "a copy of X", "the use of X".
PARTS = word_set(
    """use usage copy instance piece kind type version lot bunch couple pair set list rest part
    contents call handful row record batch hour minute day week month gram kilo litre liter ton
    share unit bag cup spoon tablet pill dose page line pile pallet crate sample slice bottle
    glass box pack dozen half most many some two three four five six seven eight nine ten"""
)
