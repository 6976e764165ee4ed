"""Words of software work that mean the same, one concept to a line; data with no code of its own.

A line is `concept: words and phrases that stand for it`, all in their base form; a line that is
set in goes on with the line before it.
"""

from __future__ import annotations

CONCEPTS = """
use: utilize, utilise, employ, adopt, leverage, rely on, go with, pick, choose, opt for,
  stick with, stick to, standardize on, standardise on, settle on, usage, select, make use of,
  depend on, work with
store: retention, retention period, save, persist, keep, hold, live, reside, retain, stay, stash,
  put, place, sit, locate, belong, go
delete: remove, erase, purge, drop, wipe, get rid of, deletion, removal, discard, clean up,
  cleanup, prune
deploy: ship, roll out, rollout, deployment, redeploy, go live, release to, go out
release: publish, cut a release, tag a release, publication
optin: opt in
optout: opt out
run: execute, execution, start, launch, kick off, invoke, host, operate
test: testing, spec
pass: succeed, green, success
reject: refuse, turn down, turned down, deny, decline
fail: failure, break, red, failing, error out
build: compile, compilation, bundle
install: installation, add a dependency
dependency: package, library, third party package, lib, module dependency, third-party library
package-manager: package manager, dependency manager
lockfile: lock file, package lock
pr: pull request, merge request, mr, change request, patch set
review: reviewer, code review, peer review
approve: approval, sign off, signoff, sign-off, approver, consent, okay, lgtm, permission,
  give the go ahead
merge: land, integrate into main
squash: squash merge, squash-merge, squash and merge, collapse into one commit, single commit
rebase: rebase merge, rebase and merge
mergecommit: merge commit, merge-commit, no-ff
commit: check in, checkin, check into, commit message
message: text
branch: git branch
mainbranch: main branch, main
developbranch: develop branch
push: push to
direct: directly, straight
force: forced, force push, force-push
expire: expiry, expiration, ttl, time to live, lifetime, life span, lifespan, valid for, validity,
  remain valid, stay valid, last for, run out, time-to-live, live for, valid, invalid after,
  good for
timeout: time out, timed out, give up after, abort after, cancel after, deadline, time limit
retry: retries, re-run, rerun, run again, reattempt, attempt again, try again, redo,
  attempt, try, repeat
backoff: back off, back-off
wait: delay, pause, sleep
interval: frequency, cadence, period
poll: polling
limit: cap, maximum, max, ceiling, upper bound, quota, restrict, restriction
minimum: min, floor, lower bound
rate-limit: rate limit, rate limiting, throttle, throttling, ratelimit, rate-limit
request: api call, call
response: reply
endpoint: route, api endpoint, url path, handler
api: apis, interface
rest: restful, rest api
database: db, data store, datastore, rdbms, relational database, storage backend
schema: database schema, data model
table: database table
column: field
row: record, entry
query: sql query, queries
migration: migrate, schema change, schema migration
index: indices
transaction: tx
primary: principal, chief, canonical
cache: caching, cached
session: login session, user session
token: access credential
login: log in to, log into, sign in, signin, logon, sign-in
logout: log out, sign out
auth: authentication, authenticate, authn
authorization: authorize, authz, authorise, access control
nobody: no one
account: user account, logins
user: end user, account holder
customer: client company, buyer
password: passphrase, passcode
hash: hashing, digest
encrypt: encryption, cipher
apikey: api key, api token, api keys
cancel: abort, kill
secret: credential, private key, sensitive value, sensitive data
env-var: from the environment, environment variable, env var, environment variables, env variable
env-file: dotenv, .env, env file, dotenv file
vault: hashicorp vault
secretsmanager: secret manager, secrets manager, aws secrets manager
parameterstore: parameter store, ssm parameter store
config: configuration, setting, configure
feature-flag: feature flag, feature toggle, flag, toggle, feature switch, feature-flag
log: logging, logger, log line, log entry, log message
loglevel: log level, logging level, verbosity
structured: json log, structured log
metric: measurement, telemetry
monitor: monitoring, observability, observe, watch
alert: page, paging, notify, notification, alarm, notified
trace: tracing
error: exception, fault
handle: handling, deal with, treat, process
raise: throw
catch: swallow, suppress, trap
ignore: disregard
return: give back, respond with, respond, answer, yield, send back, answer with, reply with, emit,
  produce
status: status code, http status
validate: validation, validator, check, verify, verification
sanitize: sanitise, escape, clean
format: formatter, formatting, autoformat, auto-format, pretty print, styled
lint: linter, linting, static analysis
type: typing, typed, type annotation, type hint, annotate
typecheck: type check, type checker, type-check, type checking
indent: indentation, indented
line-length: line, line length, line width, column limit
character: char, column wide
quote: quotation mark, quotation
semicolon: semi colon, semi-colon
name: naming, named, identifier name, title
variable: variable name, identifier
constant: const
file: source file
filename: file name
directory: folder, dir
import: imports
function: method, routine, procedure
class: classes
comment: docstring, doc comment, inline comment
document: documentation, doc, docs, write up, readme
example: sample
code: codebase, source code, source
repository: repo, git, version control, source control, vcs, git repository
monorepo: mono repo, mono-repo, single repository, one repository
polyrepo: multi repo, multi-repo, separate repositories, separate repository,
  multiple repositories, own repository
project: product, application, app, system
service: microservice, micro-service, micro service
server: machine
worker: background worker, job runner
job: background job, task, batch job
queue: message queue, message broker, broker
event: domain event
topic: channel
cron: scheduled job, scheduled task, schedule, scheduler
ci: pipeline, ci pipeline, continuous integration, build pipeline, ci server, ci/cd, cicd
container: docker image, image
kubernetes: k8s
cluster: k8s cluster
rollback: roll back, revert, back out
canary: canary deploy, canary release, canary deployment
bluegreen: blue green, blue-green, blue/green
backup: back up, snapshot, dump
restore: recovery, recover
replica: read replica, standby
region: datacenter, data center, availability zone
production: prod, live environment, live system, live
staging: stage environment, preprod, pre-prod, pre-production, uat, staging environment
development: dev, locally, laptop, developer machine, own machine, workstation, dev machine,
  local development, dev environment, development environment
enable: enabled, turn on, switch on, activate, active, switched on, turned on, leave on, left on
disable: disabled, turn off, switch off, deactivate, inactive, switched off, turned off, shut off,
  leave off, left off
allow: permit, allowed, permitted, acceptable, fine to, ok to, okay to, free to, welcome to,
  accept, tolerate
require: required, mandatory, necessary, compulsory, obligatory, demand, insist, need
optional: optionally, voluntary
forbid: forbidden, prohibit, prohibited, ban, banned, disallow, disallowed, not permitted,
  off limits, outlaw, illegal, taboo, off the table, no-go, frowned upon, unacceptable,
  out of bounds
avoid: watch out for, beware of, refrain from, refrain, abstain from, abstain,
  desist from, steer clear of, stay away from
prefer: preferred, favor, favour, recommend, recommended, encourage
before: prior to, ahead of, first
after: following, afterwards, upon
every: each, any, all
automatically: automatic, automated, auto, automate, by itself, unattended
manually: manual, by hand, hand, human, operator, in person, hand-run
create: make, generate, generation, creation, produce new, generated
write: author, written, compose
read: access, consume
outgoing: outbound
incoming: inbound
show: display, render, present, shown, showing
attribute: property
visitor: guest user
block: prevent
stop: halt, shut down, shutdown, terminate
counterclockwise: anticlockwise
send: transmit, forward, dispatch, deliver, transfer
update: modify, change, edit, alter, upgrade, bump, amend
upload: uploaded, upload file
download: fetch, pull down
every-other: every other
page-size: page size, items per page, results per page, per page, page length
pagination: paginate, paged, paging through, paginated
cursor: keyset, cursor-based, cursor based, keyset-based
offset: offset-based, offset based, limit/offset, page number, page-number
timestamp: time stamp, datetime, point in time, date and time, date-time
date: dates
timezone: time zone, tz
utc: utc time, gmt, zulu, coordinated universal time
localtime: local time, server time, local timezone, local time zone
iso8601: iso 8601, iso-8601, iso, rfc 3339, rfc3339
epoch: unix timestamp, unix epoch, epoch seconds, epoch milliseconds, unix time,
  epoch millisecond, epoch second
uuid: uuids, uuidv4, uuidv7, uuid v4, uuid v7, guid
autoincrement: auto increment, auto-increment, auto incrementing, auto-incrementing,
  sequential id, serial, bigint identity, bigserial, integer id, sequential integer,
  identity column
id: primary key, key id
foreign-key: foreign key, fk
json: json format, json object
money: amount, monetary amount, price, currency amount, monetary value
cent: minor unit, integer cent
decimal: fixed point
float: floating point, floating-point, double
softdelete: soft delete, soft deletion, soft-delete, mark as deleted, deleted_at,
  marked as deleted, logical delete
harddelete: hard delete, hard deletion, hard-delete, delete permanently, permanently delete,
  physically delete, permanently removed, physical delete, delete physically
mock: mocking, stub, fake, test double
fixture: test data
coverage: code coverage, test coverage
unit: unit test
integration: integration test
e2e: end to end, end-to-end, end to end test, e2e test, browser test
flaky: flake, unstable
parallel: concurrently, in parallel, concurrent, parallelise, parallelize, simultaneously
sequential: serially, one after another, one at a time, sequentially, in sequence, serial order,
  one by one
async: asynchronous, asynchronously, non-blocking, nonblocking, in the background
sync: synchronous, synchronously, blocking, inline
readonly: read only, read-only, immutable
writable: read write, read-write, mutable
snakecase: snake case, snake_case, snake-case, lowercase with underscores, lower_snake_case
camelcase: camel case, camelcase, lower camel case, camel-case, lowercamelcase
pascalcase: pascal case, pascalcase, upper camel case, pascal-case, uppercamelcase, capwords
kebabcase: kebab case, kebab-case, hyphenated, dash-separated, dash separated, dashes
screamingcase: upper snake case, screaming snake case, upper_snake_case,
  upper case with underscores, screaming_snake_case, all caps
singlequote: single quote, single-quote, single-quoted, single quotes
doublequote: double quote, double-quote, double-quoted, double quotes
tab: tabs, tab character
space: spaces, space character
absoluteimport: absolute import, absolute path import
relativeimport: relative import
defaultexport: default export
namedexport: named export
functional: function component, functional component
classcomponent: class component
orm: object relational mapper
rawsql: raw sql, hand-written sql, handwritten sql, plain sql, sql by hand
storedprocedure: stored procedure
jwt: json web token, jwts
servercookie: server-side session, server side session, session cookie, cookie session,
  cookie-based session, server session, opaque session, http-only cookie, httponly cookie
localstorage: local storage
bearer: bearer token
basicauth: basic auth, basic authentication
oauth: oauth2, oauth 2.0, oidc, openid connect
mfa: two-factor, 2fa, two factor authentication, multi-factor, multi factor authentication,
  second factor, two-factor authentication, multi-factor authentication
sso: single sign-on, single sign on
https: tls, ssl
plainhttp: plain http, unencrypted http, http only
plaintext: plain text, clear text, cleartext, unencrypted, in the clear
semver: semantic versioning, semantic version
calver: calendar versioning, calendar version, date-based version
githubissues: github issue
rolling: rolling update, rolling deploy, rolling deployment, rolling release
conventionalcommits: conventional commit, conventional commits
changelog: change log, release note
version: versioning
deprecate: deprecated, phase out, sunset, retire, obsolete
backward: backwards compatible, backward compatible, backward compatibility
owner: own, owned by, maintain, maintainer, responsible for, in charge of, look after,
  take care of, maintained by
team: squad, crew, group
standup: stand-up, daily meeting, stand up
meeting: sync meeting
oncall: on call, on-call, pager duty
incident: outage
sla: service level, slo, availability target, uptime
license: licence, licensed
copyright: copyright header, license header, licence header
accessibility: a11y, accessible
translation: i18n, localization, localisation, internationalization, translate
locale: language setting
email: e-mail, mail
sms: text message
file-size: file size
size: large, big, length
night: nightly, overnight
twice: two times
once: one time, a single time
freeze: code freeze, release freeze, change freeze
sprint: iteration
hotfix: hot fix, urgent fix, emergency fix
ticket: issue, jira ticket
stale: outdated, out of date
leak: expose, reveal, disclose
personal: pii, personally identifiable information, personal data, personal information
gdpr: data protection
anonymize: anonymise, pseudonymize, redact, mask, scrub
idempotent: idempotency
dry-run: dry run
pin: pinned, exact version, lock version, fixed version
latest: newest, most recent
range: version range, caret range
debug: debugging, debug mode
warning: warn
strict: strictly
lowercase: lower case, lower-case, small letter
uppercase: upper case, upper-case, capital letter, capitals
plural: plurals
singular: singulars
ascending: oldest first, asc
descending: newest first, desc
nullable: may be null, can be null
notnull: not null, non-null, not nullable, never null
shared: share, in common, jointly
separate: separately, dedicated
print: print out
fine-grained: fine grained
load-balancer: load balancer, load balancing, loadbalancer
public: publicly
private: privately
frontend: front end, front-end, client side, client-side, ui, web client, web ui, user interface
backend: back end, back-end, server side, server-side
mobile: mobile app, phone app
browser: web browser
trailing-comma: trailing comma
dark: dark mode, dark theme
light: light mode, light theme
null: none, nil
empty: blank
result: hits, matches
list: array, collection, listing
string: str
integer: int
number: numeric
boolean: bool
gzip: compress, compression
webhook: callback url
idle: inactivity, inactive, without activity, unused
twofold: double
component: ui component, widget
style: styling, stylesheet
css-modules: css module
styled-components: styled component
githubactions: github actions, github action
gitlabci: gitlab ci
trunkbased: trunk based development, trunk based
githubflow: github flow
css: cascading style sheet
state: client state, app state, application state
exponential: exponentially, exponential backoff
constantdelay: fixed delay, constant delay, fixed interval, constant backoff, linear backoff
healthcheck: health check, liveness probe
graceful: gracefully
restart: reboot
scale: autoscale, autoscaling, auto-scaling
onboarding: new joiner, new hire
forget: neglect
omit: leave out, left out
skip: bypass, circumvent
ensure: make sure, guarantee, see to it
contain: include, have, hold, carry, consist of
begin: start with, prefix, prefixed with, prefixed
finish: end with, suffix, end in
local-copy: local copy
inject: injection, dependency injection
global: globally, project-wide, everywhere
hardcode: hard-code, hard code, hardcoded, hard-coded, baked in
contributor: developer, engineer, dev team, programmer, people, everyone, colleague, teammate
"""
