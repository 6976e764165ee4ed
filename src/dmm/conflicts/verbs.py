"""Verbs that statements are read with."""

from __future__ import annotations

from dmm.rules.language.wordsets import word_set

VERBS = word_set(
    """abandon abolish abort accelerate accept access acknowledge acquire activate adapt add
    address adjust administer admit adopt advertise aggregate agree aim alert alias allocate
    allow allowlist alter amend analyse analyze annotate announce answer append apply appoint
    approve archive argue arrange arrive ascribe ask assemble assert assess assign attach
    attack attend audit authenticate authorise authorize autoscale avoid await backfill backup
    bake ban base batch bathe beat beg begin benchmark bid bill bind bisect bite blacklist
    bleach bleed blend block blow blur boil bolt book bore borrow bounce branch breathe breed
    bribe bring broadcast broaden build bulk-load bump bundle burn burst bury buy bypass cache
    calculate calibrate call cancel cap capitalize capture carry cast catch cater cease
    centralise centralize certify chain change charge charter chase check check-in checkin
    checkout chew chill chmod choose chown chunk circumvent cite claim clarify classify clean
    clear climb clone close code coerce collapse collect combine comment commit compare compile
    complement complete compose compress compute concatenate conceal concede configure confirm
    confiscate connect consider consolidate constrain consult consume contact containerize
    continue contract contribute convene convert cook coordinate copy correct cost count cover
    craft crawl create crop cross cure customise customize cut dance deactivate deal deallocate
    debug decide declare decline decode decommission decompose decouple decrease decrypt
    dedicate deduplicate defer define defrost delay delegate delete deliver demolish demote
    denormalize deny depart depend depict deploy deposit deprecate derive describe deserialize
    designate destroy detach detain detect determine develop devise dial dig digitize dilute
    dine disable disallow disburse discard discharge disclose discount discuss disguise
    dismantle dismiss dispatch dispense display dispose dispute disregard distribute ditch
    divert divide do document donate dose double downgrade download downscale drape draw dress
    drill drink drive drop dry dump duplicate dye eat edit elevate elicit eliminate email embed
    emit emphasize employ enable encapsulate enclose encode encourage encrypt endorse enforce
    engrave enlarge enqueue enroll ensure enter erase erect escalate escape estimate etch
    euthanize evaluate evict evolve examine exceed exchange exclude execute exempt exhibit
    expand expect expel expire explain exploit explore export expose extend extract fabricate
    facilitate fall fax federate feed feel fertilize fetch fight fill film filter finalise
    finalize finance find finetune finish fire fix flag flatten flush fly fold follow forbid
    force forge fork format formulate freeze fry furnish gamble gather generate get give glue
    go grab grade graft grant grep grill grind groom group grow guard hail halt halve handle
    hang happen hardcode harden harm harvest hash have heal hear heat hedge help hide hike hire
    hit hitch hoard hoist hold honk honor hook hope host hotfix house hug hunt hurt hydrate
    idle ignore illustrate impersonate implement import impose impound improve incinerate
    include incorporate increase index infer inflate inform ingest inherit initialise
    initialize initiate inject inline inquire insert inspect install instantiate instruct
    insulate insure integrate intend intercept interpolate introduce intubate invalidate invert
    invest investigate invite invoke iron irrigate isolate issue iterate jettison join juggle
    jump jumpstart junk keep kick kill kiss knit knock know label lack lacquer laminate land
    laugh launch lay lead leak lean learn lease leash leave lecture legalize lend lengthen
    leverage liberate license lie lift limit lint liquidate list listen live livestream load
    load-test loan lobby localize lock log loiter look loop loosen lose lower mail maintain
    make manage manufacture map mark marshal mask measure meet melt memoize mention merge
    message migrate mimic minify minimise minimize mint mirror miss misuse mix mobilize mock
    moderate modernize modify monetize monitor monkeypatch mortgage mount move mow multiply
    mutate mute muzzle nail narrow nationalize need negotiate nest neuter neutralize nominate
    normalize notarise notarize note notify obfuscate observe obtain occupy occur omit onboard
    open operate oppose opt optimise optimize order organise organize outbid outsource overbook
    overcharge overfeed overload override oversee oversell overtake overwrite own pack package
    page paginate paint parallelize park parse partition paste patch pause pawn pay perform
    permit persist phone photograph pick pickle pierce pin ping pipe pivot plan plant play plot
    point poison polish poll populate port portray post postpone pour praise preallocate
    precompute predict prefer prefetch preload prepare prepend prescribe present preserve
    preset prevent print probe proceed process procure produce profile prohibit project prolong
    promise promote propagate propose protect provide provision proxy prune publicize publish
    pull pump punish purchase purge purify push put quantize quarantine query question queue
    quit quote race raise randomize ration re-enable reach reactivate read reassign rebalance
    rebase reboot rebrand rebuild recharge recolor recommend reconcile reconfigure record
    recover recreate recruit recurse recycle redact redeem redeploy redesign redirect
    redistribute redo reduce refactor refer refill refine reformat refrain refresh refuel
    refund refuse regenerate regulate rehearse reheat rehost reimburse reinstall reintroduce
    reject relax relay release relocate rely remind remit remodel remove rename render renew
    renovate rent reopen reorder repackage repaint repair repeat rephrase replace replay
    replicate reply report repossess represent repurpose request require rerun reschedule
    rescind rescue research resell resemble reserve reset reshape reside resign resist resize
    resolve respond restart restock restore restrict restructure restyle resubmit resume retain
    retire retitle retouch retrain retrieve retrofit retry return retweet reuse reveal revert
    review revise revoke rewire reword rework rewrite ride ring rinse rip roast rob roll
    rollback rollout rotate round route rub ruin run rush salvage sanction sandbox sanitize
    save say scale scan scatter schedule scrap scrape scratch screen scrub seal search season
    seat secure sedate see seed segment seize select sell send separate serialise serialize
    serve set settle sew shake shard share sharpen shave shelve shield shift ship shoot shorten
    shout show shred shrink shuffle shut shutdown sideload sign signpost simplify simulate sing
    sink sit sketch ski skip slaughter sleep slice smoke smooth smuggle snapshot soak soften
    solder solicit sort source sow spawn speak specify spend spill spin split spoil sponsor
    spray spread squash squat stabilize stack stagger stamp stand standardise standardize
    staple start stash stay steal steer step sterilize stick stir stitch stock stockpile stop
    store stow stream strengthen stretch strike strip stub study subclass subdivide sublet
    submit subscribe subsidize substitute subtract sue suggest summarize sunset supervise
    supplement suppress surface surrender suspend swallow swap swear sweep swim swing switch
    symlink sync synchronize tabulate tag tailgate tailor take talk tap tape taper taste tattoo
    tax teach tear tell template tender terminate test tether thaw think thread throttle throw
    tie tighten toast toggle top-up total touch tow trace track trade train transcode
    transcribe transfer transform transfuse transition translate transmit transport transpose
    trap trash travel treat trespass trigger trim triple truncate trust try tune turn tutor
    tweak tweet twist type unassign unbind unblock undercut underwrite undo undress unify
    uninstall unlace unlink unlock unmount unpin unplug unsubscribe untangle unzip update
    upgrade uphold upload upscale upsell upsert use utilise utilize vaccinate vacuum validate
    varnish vary vectorize verify veto video visit visualize void volunteer vote vouch wager
    wait waive wake walk want warm warn warrant wash waste watch wave wax weaken wear weigh
    welcome weld whisper whitelist widen win wind wipe wire withdraw withhold witness work wrap
    write yield zero zip"""
)
