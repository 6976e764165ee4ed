"""What the people and agents of the sample project wrote."""

FRONT = """---
id: {id}
tags: [{tags}]
scope: project
priority: 0.6
confidence: active
status: active
created: 2026-02-03
---

"""
CLASHING = """# Sessions are long so that customers stay logged in

Sessions live 60 days. The cookie `lantern_session` is renewed at each visit, so that a customer
who comes back every week never sees the login page. Support asked for it because many carts
were lost when a session ended between two visits, and because the shop's own application on
phones can't log in again by itself.

## Rules

- `open_session` sets the end of the row in `sessions` to 60 days from now.
- A request with a valid token moves the end to 60 days from now, at most once a day.
- Account recovery still ends all sessions of the account in the same transaction.
- A test that counts rows in `sessions` filters by `expires_at`, because the nightly job removes
  them later.

"""
FROM_A_FORUM = """# Retries of the payment provider need a random wait

The provider answers 429 when calls come in step. Wait between retries for a random time of up
to two seconds, doubled at each try and never more than five tries, so that workers that failed
together do not come back together. The waiting belongs into `lantern/payments.py`, next to the
call, and not into the queue.

## Rules

- The wait is drawn anew at each try; a fixed wait of one second brought the storm back in full.
- After the fifth try the order keeps its state and the nightly job takes it up again.
- The key of the charge stays the same over all tries, so that a customer pays once only.

"""
PLAIN = """# Password reset links live one hour and work once

A reset link holds a random token of 32 bytes; the row keeps only its SHA-256 and the time when
it ends, one hour later. Using it ends all sessions of the account and opens a new one for the
browser at hand. The page says the same whether the account exists or not: "if there is an
account, we have sent a mail".

## Rules

- The token is compared by its hash, in constant time, and removed in the same transaction.
- At most three mails per address and hour; they count in a table of their own, not with failed
  logins.
- The link leads to our own host over https and carries nothing but the token.

"""
OTHER_LENGTH = """# Sessions are long enough for a monthly customer

Sessions live 30 days and are not prolonged. Most customers come back once a month; a customer
who was away for longer logs in again, because an account shows all earlier orders.

## Rules

- `open_session` is the only place that makes a session token; it sets the end of the row.
- The cookie `lantern_session` has the attributes `HttpOnly` and `Secure`.

"""


NOTE = """# {title}

While working on the shop it was seen that {words}. Nobody had written it down, and the next one
would have had to find it out again: it is in no other memory and in no comment of the code. It
was tried on a branch, it held in all tests, and the people who run the shop agreed to it in the
review of the week.

## Rules

- A change in this place keeps it as it is, or says in its description why it has to go.
- It is about the shop itself; other services of the company have rules of their own.
"""
RULES = {
    "never-push-to-main": """---
id: never-push-to-main
level: deny
match:
  - {command: {program: git, subcommand: push, branch: [main], without: [--dry-run]}}
examples:
  block:
    - git push origin main
  allow:
    - git push origin topic
---
# never push to main
""",
    "never-run-terraform-destroy": """---
id: never-run-terraform-destroy
level: deny
match:
  - {command: terraform destroy}
  - {command: terraform apply -destroy}
examples:
  block:
    - terraform destroy
  allow:
    - terraform plan
---
# never run terraform destroy
""",
    "never-deploy-on-fridays": """---
id: never-deploy-on-fridays
level: deny
---
# never deploy on Fridays
""",
    "ask-before-migrations": """---
id: ask-before-migrations
level: ask
match:
  - {path: migrations/}
---
# ask before you change a migration
""",
}
