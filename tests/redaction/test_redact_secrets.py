"""What must never survive: secrets of every class, in the notations they are met in."""

from __future__ import annotations

import json
import urllib.parse

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import many

from dmm.redaction.redact import redact, redact_value

# The sign ¦ breaks up the samples, so that no scanner takes this file for a leak.
HEX32 = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"
RANDOM40 = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzQ8T3kL5p"
PEM_BODY = "\n".join(["MIIEpAIBAAKCAQEA7bq8Zk3mQvT1xW9uYc5dR2eF6gH0iJ4kL8mN1oP3qS5tU7vX"] * 3)
PEM_JSON = PEM_BODY.replace("\n", "\\n")
SEED = "apple river stone cloud tiger lemon piano ocean forest candle mirror rocket"

BY_FORMAT = [
    ("aws", "AKIA¦QX4BZ7WLTN2VKD5R"),
    ("aws temporary", "ASIA¦QX4BZ7WLTN2VKD5R"),
    ("aws secret, alone", RANDOM40),
    ("google api", "AIza¦SyD3k9Xq2Lw8Vb5Nf7Rt1Yh6Gp4Jc0Mz8s"),
    ("google oauth", "ya29.¦a0AfH6SMBx7k2Qw9Lz3Vt5"),
    ("google client secret", "GOCSPX-¦k3Jd9sL2mQ8xV5bN7rT1yH6g"),
    ("github", "ghp_¦k3Jd9sL2mQ8xV5bN7rT1yH6gP4wZ0cAeUiOq"),
    ("github fine", "github_pat_¦11ABCDEFG0k3Jd9sL2mQ8x_V5bN7rT1yH6gP4wZ0cAeUiOq"),
    ("gitlab", "glpat-¦k3Jd9sL2mQ8xV5bN7rT1"),
    ("slack", "xoxb-¦2178934561-8723641987-k3Jd9sL2mQ8xV5bN7rT1yH6g"),
    ("slack hook", "https://hooks.slack.com/services/¦T0A1B2C3D/B9Z8Y7X6W/k3Jd9sL2mQ8xV5bN7rT1yH6g"),
    ("stripe", "sk_live_¦k3Jd9sL2mQ8xV5bN7rT1yH6g"),
    ("npm", "npm_¦k3Jd9sL2mQ8xV5bN7rT1yH6gP4wZ0cAeUiOq"),
    ("pypi", "pypi-¦AgEIcHlwaS5vcmcCJGQ4YjA1k3Jd9sL2mQ8xV5bN7rT1yH6g"),
    ("openai", "sk-proj-¦k3Jd9sL2mQ8xV5bN7rT1yH6gP4wZ0cAeUiOq"),
    ("openai, old", "sk-¦k3Jd9sL2mQ8xV5bN7rT1T3BlbkFJyH6gP4wZ0cAeUiOq"),
    ("anthropic", "sk-ant-¦api03-k3Jd9sL2mQ8xV5bN7rT1yH6gP4wZ0cAeUiOq-AA"),
    ("hugging face", "hf_¦k3JdQsLamQExVybNXrTcyHIgPRwZMcAeUiOq"),
    ("twilio", "SK¦" + HEX32),
    ("sendgrid", "SG.¦k3Jd9sL2mQ8xV5bN7rT1yA.yH6gP4wZ0cAeUiOqk3Jd9sL2mQ8xV5bN7rT1yH6gP4w"),
    ("mailgun", "key-¦" + HEX32),
    ("mailchimp", HEX32 + "¦-us14"),
    ("telegram", "5612839471:¦AAk3Jd9sL2mQ8xV5bN7rT1yH6gP4wZ0cAeU"),
    ("digital ocean", "dop_v1_¦" + HEX32 + HEX32),
    ("vault", "hvs.¦CAESIk3Jd9sL2mQ8xV5bN7rT1yH6gP4wZ0cAeUiOq"),
    ("docker", "dckr_pat_¦k3Jd9sL2mQ8xV5bN7rT1yH6gP4w"),
    ("atlassian", "ATATT3¦xFfGF0k3Jd9sL2mQ8xV5bN7rT1yH6gP4wZ0cAeUiOq"),
    ("azure client", "k3J8Q~¦d9sL2mQ8xV5bN7rT1yH6gP4wZ0cAeUiOqk3"),
    ("databricks", "dapi¦" + HEX32),
    ("age", "AGE-SECRET-KEY-1¦QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3"),
    ("jwt", "eyJ¦hbGciOiJIUzI1NiJ9.eyJzdWIiOiJkZXYifQ.k3Jd9sL2mQ8xV5bN7rT1yH6gP4wZ0cAe"),
    ("shadow", "$6$¦rounds7Kq$k3Jd9sL2mQ8xV5bN7rT1yH6gP4wZ0cAeUiOqk3Jd9s"),
    ("bcrypt", "$2b$¦12$k3Jd9sL2mQ8xV5bN7rT1yOH6gP4wZ0cAeUiOqk3Jd9sL2mQ8xV5b"),
    ("card", "4539 1488 0343 6467"),
    ("discord", "MTk4NjIyNDgzNDcxOTI1MjQ4.¦Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs"),
]  # fmt: skip

# A place, with § where the secret stands, and the secret.
IN_PLACE = [
    ("environment", "export DATABASE_PASSWORD=§", "hunter2"),
    ("environment, plain word", "SMTP_PASSWORD=§", "letmein"),
    ("environment before a command", "PGPASSWORD=§ psql -h db -U app", "correcthorse"),
    ("environment, quoted", "export API_TOKEN='§'", "kd93-llq2-zz81"),
    ("dotenv", "SECRET_KEY=§\nDEBUG=1\n", "dj4ng0-1ns3cure-x!y(z"),
    ("power shell", '$env:GH_TOKEN = "§"', "aB3dE5fG7hJ9"),
    ("json", '{"user": "a", "password": "§", "port": 5432}', "tr0ub4dor&3"),
    ("json, letters", '{"db_password":"§"}', "correcthorsebattery"),
    ("json in json", '"{\\"password\\": \\"§\\"}"', "tr0ub4dor&3"),
    ("json in json in json", '"{\\\\\\"password\\\\\\": \\\\\\"§\\\\\\"}"', "tr0ub4dor-3"),
    ("yaml", "db:\n  password: §\n  host: x\n", "s3cr3t-word"),
    ("yaml, letters", "db:\n  password: §\n  host: x\n", "opensesame"),
    ("yaml, block", "client-key-data: |\n  §\nother: 1\n", "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLR"),
    ("toml", 'api_key = "§"', "k3Jd9sL2mQ8x"),
    ("number on the next line", "Your PIN is\n§\n", "7731"),
    ("constant of a weak name", "AUTH_KEY = §\n", "Summer9!"),
    ("option before a value with a dash", "tool --password §", "-ei8487"),
    ("comparison", 'if password == "§":', "sesame99"),
    ("variable with a plain word in quotes", "export API_TOKEN='§'", "plainword"),
    ("default of a typed parameter", 'def f(client_secret: str="§"):', "hunter2x"),
    ("comparison with a prefixed text", 'if (password == @"§")', "S3sam3open"),
    ("comparison on the next line", 'if (password ===\n    "§")', "S3sam3open"),
    ("comparison in words", "the password of the test user == '§'", "S3same99"),
    ("environment of a process", "HOME=/root\0DB_PASSWORD=§\0LANG=C\0", "opensesame"),
    ("table of settings", "| `spring.datasource.password` | § |", "hunter2x9"),
    ("constant with a sign", "API_KEY=§", "aB3!x"),
    ("login in quotes before a host", 'scp "deploy:§"@build.example.com:/srv', "Tr0ub4dor3x"),
    ("option with a bracket", "aws configure set --password §", "Xk9(wPz4Lm2Qv7"),
    ("block below a bar", 'password |\n  ("§")', "S3sam3open"),
    ("ini", "[db]\npassword = §\n", "s3cr3tw0rd"),
    ("xml", "<password>§</password>", "hunter2"),
    ("xml attribute", '<add key="Password" value="§" />', "hunter2x"),
    ("name and value", '[{"name": "DB_PASSWORD", "value": "§"}]', "hunter2x"),
    ("properties", "spring.datasource.password=§", "hunter2x"),
    ("python", 'password: str = "§"', "hunter2x"),
    ("python call", 'connect(user="a", password="§")', "hunter2x"),
    ("javascript", "const clientSecret = `§`;", "aB3dE5fG7hJ9kL"),
    ("builder", '.setPassword("§")', "hunter2x"),
    ("sql", "CREATE USER app WITH PASSWORD '§';", "hunter2x"),
    ("sql identified", "CREATE USER 'a'@'%' IDENTIFIED BY '§';", "plainword"),
    ("diff", "-  token: old\n+  token: §\n", "8d2kq0s7f1l4m9"),
    ("prose", "the database password is §, use it", "Tr0ub4dor"),
    ("prose, for", "My password for the staging server is §.", "Blue7Horse!"),
    ("prose, quoted", "the passphrase is '§'", "correcthorse"),
    ("prose, beside", "log in as admin with password § please", "hunter2!"),
    ("prose, api key", "use the API key §", "k3Jd9sL2mQ8xV5bN"),
    ("table", "|  SecretAccessKey  |  §  |", RANDOM40),
    ("option", "tool --password § --verbose", "opensesame"),
    ("option with =", "tool --token=§", "aB3dE5fG7hJ9"),
    ("option in a list", '["tool", "--api-key", "§"]', "aB3dE5fG7hJ9"),
    ("mysql", "mysql -u root -p§ shop < dump.sql", "OpenSesame"),
    ("short", "tool -u admin -p § run", "opensesame"),
    ("short, alone", "tool -p '§'", "S3cr3t!x"),
    ("docker login", "docker login -u me -p § registry.example.com", "opensesame"),
    ("sshpass", "sshpass -p § ssh me@host", "opensesame"),
    ("redis", "redis-cli -h cache -a § ping", "opensesame"),
    ("ldap", "ldapsearch -x -D cn=admin -w § -b dc=x", "opensesame"),
    ("curl", "curl -s -u admin:§ https://api.example.com/x", "opensesame"),
    ("curl --user", "curl --user 'admin:§' https://api.example.com/x", "open:sesame"),
    ("openssl", "openssl rsa -in k.pem -passin pass:§", "opensesame"),
    ("stdin", "echo '§' | docker login --password-stdin", "opensesame"),
    ("sudo", "echo § | sudo -S ls", "opensesame"),
    ("htpasswd", "htpasswd -bc .htpasswd admin §", "opensesame"),
    ("address", "postgres://app:§@db.internal:5432/shop", "opensesame"),
    ("address", 'sql.Open("mysql", "root:§@tcp(127.0.0.1:3306)/shop")', "opensesame"),
    ("address without user", "redis://:§@cache:6379/0", "opensesame"),
    ("address with signs", "mysql://app:§@db/shop", "p@ss/w#rd"),
    ("address, percent", "amqp://app:§@mq/v", "p%40ss%2Fword"),
    ("address, token", "https://§@github.com/o/r.git", "k3Jd9sL2mQ8xV5bN7rT1"),
    ("query", "https://x.example.com/a?user=b&access_token=§&c=d", "k3Jd9sL2mQ8x"),
    ("signature", "https://b.s3.amazonaws.com/k?X-Amz-Signature=§&x=1", HEX32 + HEX32),
    ("sas", "https://a.blob.core.windows.net/c?sv=2024&sig=§", "k3Jd9sL2mQ8xV5bN7rT1yH6g%3D"),
    ("connection string", "Server=db;User Id=sa;Password=§;Encrypt=true", "opensesame"),
    ("account key", "AccountName=x;AccountKey=§;Suffix=y", "k3Jd9sL2mQ8xV5bN7rT1yH6gP4wZ=="),
    ("basic", "Authorization: Basic §", "YWRtaW46b3BlbnNlc2FtZQ=="),
    ("bearer", "Authorization: Bearer §", "mF_9.B5f-4.1JqM"),
    ("bearer, opaque", "authorization: bearer §", "opaquetokenwithoutdigits"),
    ("header", "X-Api-Key: §", "k3Jd9sL2mQ8x"),
    ("header in curl", "curl -H 'X-Auth-Token: §' https://x", "k3Jd9sL2mQ8x"),
    ("header in json", '{"Authorization": "token §"}', "k3Jd9sL2mQ8x"),
    ("cookie", "Cookie: §", "session=k3Jd9s; theme=dark"),
    ("set-cookie", "Set-Cookie: sid=§; Path=/; HttpOnly", "k3Jd9sL2mQ8x"),
    ("cookie jar", ".x.example.com\tTRUE\t/\tTRUE\t1790000000\tsid\t§", "k3Jd9sL2"),
    ("netrc", "machine api.example.com login me password §", "opensesame"),
    ("npmrc", "//npm.example.com/:_authToken=§", "k3Jd9sL2-mQ8x-V5bN"),
    ("docker config", '{"auths": {"r.example.com": {"auth": "§"}}}', "bWU6b3BlbnNlc2FtZQ=="),
    ("pgpass", "db.internal:5432:shop:app:§", "hunter2x"),
    ("kubeconfig", "users:\n- name: a\n  user:\n    token: §\n", "k3Jd9sL2mQ8xV5bN7rT1"),
    ("kubernetes", "kind: Secret\ndata:\n  any: §\n", "aHVudGVyMngxMjM="),
    ("hex key", "ENCRYPTION_KEY=§", HEX32),
    ("hex key in prose", "the AES key: §", HEX32),
    ("uuid key", "HEROKU_API_KEY=§", "7d9f2c1e-4b3a-4c5d-8e6f-0a1b2c3d4e5f"),
    ("otp", "otpauth://totp/x:me?secret=§&issuer=x", "JBSWY3DPEHPK3PXP"),
    ("colour", "password: \x1b[31m§\x1b[0m", "hunter2"),
    ("pem", "-----BEGIN RSA PRIVATE KEY-----\n§\n-----END RSA PRIVATE KEY-----", PEM_BODY),
    ("pem, cut", "$ cat k\n-----BEGIN OPENSSH PRIVATE KEY-----\n§", PEM_BODY),
    ("pem, head lost", "§\n-----END PRIVATE KEY-----\nbye", PEM_BODY),
    ("gcp", '{"x": "-----BEGIN PRIVATE KEY-----\\n§\\n-----END PRIVATE KEY-----\\n"}', PEM_JSON),
    ("argument list", '["mysql", "-u", "root", "-p§"]', "OpenSesame"),
    ("scheme-less login", "proxy me:§@proxy.example.com:3128", "S3cr3t-9x"),
    ("seed", "seed phrase: §", SEED),
    ("credentials in prose", "the credentials: admin / §", "Sesame99!"),
    ("pair in a call", "requests.get(u, auth=('bob', '§'))", "sesame99"),
    ("backup codes", "2FA backup codes: §", "a1b2c-3d4e5"),
    ("list of tokens", 'tokens = ["k3Jd9sL2mQ8xV5bN", "§"]', "z9Yx8Wv7Ut6Sr5Qp"),
    ("php constant", "define('DB_PASSWORD', '§');", "sesame99"),
    ("terraform", 'variable "db_password" { default = "§" }', "sesame99"),
    ("ruby hash", ":password => \"§\"", "sesame"),
    ("dotted name", "db.password.value=§", "sesame99"),
    ("pin", "the pin is §", "4711"),
    ("markdown table", "| password | § |", "sesame99"),
    ("digest", 'Authorization: Digest username="b", response="§"', HEX32),
    ("wireguard", "PrivateKey = §", "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk="),
    ("password with a dollar", "password: §", "$x9wNDkC^j^%th"),
    ("random letters", "API_TOKEN=§", "tBVsFYEudIKPattRXeZd"),
]  # fmt: skip


def plain(sample: str) -> str:
    return sample.replace("¦", "")


@pytest.mark.parametrize(("kind", "sample"), BY_FORMAT, ids=[one for one, _ in BY_FORMAT])
def test_a_secret_of_a_known_format_is_taken_out_wherever_it_stands(kind: str, sample: str) -> None:
    secret = plain(sample)
    for around in ("§", "see § for it", "+§", "x: '§',", "\n\t§\n", "(§)", "\x1b[1m§\x1b[0m"):
        cleaned = redact(around.replace("§", secret))
        assert secret.rpartition("services/")[2] not in cleaned.text, (kind, around)
        assert sum(cleaned.counts.values()) == 1
        assert "[redacted:" in cleaned.text


@pytest.mark.parametrize(
    ("place", "secret"), [(place, secret) for _, place, secret in IN_PLACE],
    ids=[one for one, _, _ in IN_PLACE],
)  # fmt: skip
def test_a_secret_is_taken_out_of_the_place_that_tells_it_is_one(place: str, secret: str) -> None:
    cleaned = redact(place.replace("§", secret))

    assert secret not in cleaned.text
    assert "[redacted:" in cleaned.text
    assert redact(cleaned.text).text == cleaned.text


@pytest.mark.parametrize(
    ("place", "secret"), [(place, secret) for _, place, secret in IN_PLACE],
    ids=[one for one, _, _ in IN_PLACE],
)  # fmt: skip
def test_a_secret_is_taken_out_of_a_text_that_was_escaped(place: str, secret: str) -> None:
    text = place.replace("§", secret)
    once = json.dumps({"output": text})
    twice = json.dumps({"line": once})

    assert secret not in redact(once).text
    assert json.dumps(secret)[1:-1] not in redact(once).text
    assert json.dumps(json.dumps(secret)[1:-1])[1:-1] not in redact(twice).text


@pytest.mark.parametrize(("kind", "sample"), BY_FORMAT, ids=[one for one, _ in BY_FORMAT])
def test_a_token_is_known_in_an_address_and_with_letters_written_as_codes(
    kind: str, sample: str
) -> None:
    secret = plain(sample)
    coded = f"\\u{ord(secret[0]):04x}" + secret[1:]
    address = "https://x.example.com/a%3Fb%3D" + urllib.parse.quote(secret, safe="") + "%26c"

    assert secret[1:] not in redact(coded).text
    assert urllib.parse.quote(secret, safe="") not in redact(address).text


def test_colour_codes_and_invisible_signs_inside_a_token_do_not_hide_it() -> None:
    token = plain("ghp_¦k3Jd9sL2mQ8xV5bN7rT1yH6gP4wZ0cAeUiOq")
    shown = token[:10] + "\x1b[31m" + token[10:20] + "\u200b" + token[20:]

    assert redact(f"a {shown} b").text == "a [redacted:github-token] b"


def test_a_wrapped_value_is_taken_out_to_its_last_line() -> None:
    lines = [PEM_BODY[:64], PEM_BODY[10:60], "k3Jd9sL2mQ8xV5bN7rT1yH=="]
    text = 'auth_token = "' + "\n+ ".join(lines) + '"\nnext = 1'

    cleaned = redact(text).text
    assert not any(line in cleaned for line in lines)
    assert cleaned.endswith("\nnext = 1")


def test_a_key_in_a_diff_and_in_a_numbered_listing_is_taken_out() -> None:
    body = PEM_BODY.split("\n")
    diff = "\n".join(["+-----BEGIN EC PRIVATE KEY-----", *(f"+{line}" for line in body), "+x = 1"])
    listing = "\n".join(
        ["     1\t-----BEGIN PRIVATE KEY-----", *(f"     {n}\t{one}" for n, one in enumerate(body))]
    )

    assert body[0] not in redact(diff).text
    assert redact(diff).text.endswith("\n+x = 1")
    assert body[0] not in redact(listing).text


def test_a_secret_that_was_found_once_is_taken_out_everywhere() -> None:
    text = "PGPASSWORD=s3cretword psql\nFATAL: no login with s3cretword at db\n"

    assert redact(text).text == (
        "PGPASSWORD=[redacted:password] psql\nFATAL: no login with [redacted:password] at db\n"
    )


def test_a_secret_of_the_input_is_taken_out_of_the_output() -> None:
    value, counts = redact_value({
        "input": {"command": "export TOKEN=k3Jd9sL2mQ && env"}, "output": ["a", "k3Jd9sL2mQ"],
    })  # fmt: skip

    assert value == {
        "input": {"command": "export TOKEN=[redacted:token] && env"},
        "output": ["a", "[redacted:token]"],
    }
    assert counts == {"token": 2}


def test_plain_data_is_judged_by_its_names() -> None:
    value, counts = redact_value({
        "user": "me", "password": "opensesame", "passwords": ["alpha1x", "beta2y"], "pin": 4711,
        "headers": {"Cookie": "a=b", "X-Api-Key": "k3Jd9sL2mQ8x"},
        "env": [{"name": "DB_PASS", "value": "opensesame"}, {"name": "HOME", "value": "/root"}],
        "argv": ["tool", "--password", "rosebud", "run"], "max_tokens": 4096, "ok": True, "n": None,
    })  # fmt: skip

    assert value == {
        "user": "me", "password": "[redacted:password]",
        "passwords": ["[redacted:password]", "[redacted:password]"], "pin": "[redacted:pin]",
        "headers": {"Cookie": "[redacted:cookie]", "X-Api-Key": "[redacted:key]"},
        "env": [
            {"name": "DB_PASS", "value": "[redacted:password]"}, {"name": "HOME", "value": "/root"},
        ],
        "argv": ["tool", "--password", "[redacted:password]", "run"], "max_tokens": 4096,
        "ok": True, "n": None,
    }  # fmt: skip
    assert counts == {"password": 5, "pin": 1, "cookie": 1, "key": 1}


WORDS = st.text(alphabet="abcdefghijklmnopqrstuvwxyz ,.\n\t/()", max_size=60)


@settings(max_examples=many(300), deadline=None)
@given(before=WORDS, after=WORDS, sample=st.sampled_from([one for _, one in BY_FORMAT]))
def test_no_token_survives_among_random_words(before: str, after: str, sample: str) -> None:
    secret = plain(sample)
    text = f"{before} {secret} {after}"

    assert secret.rpartition("services/")[2] not in redact(text).text


@settings(max_examples=many(300), deadline=None)
@given(before=WORDS, after=WORDS, place=st.sampled_from([one[1:] for one in IN_PLACE]))
def test_no_secret_survives_in_its_place_among_random_words(
    before: str, after: str, place: tuple[str, str]
) -> None:
    text = f"{before}\n{place[0].replace('§', place[1])}\n{after}"

    assert place[1] not in redact(text).text


@settings(max_examples=many(300), deadline=None)
@given(
    parts=st.lists(
        st.one_of(
            st.sampled_from([one.replace("§", secret) for _, one, secret in IN_PLACE]),
            st.sampled_from([plain(one) for _, one in BY_FORMAT]),
            st.sampled_from(
                ["<private>", "</private>", "<Private x>", "[redacted:", "]", '"', "="]
            ),
            st.text(max_size=20),
        ),
        max_size=8,
    )
)
def test_a_second_redaction_changes_nothing(parts: list[str]) -> None:
    once = redact("".join(parts)).text

    assert redact(once).text == once
