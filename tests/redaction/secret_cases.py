"""Secrets of every known class, made at random from parts, in the text where they are met."""

from __future__ import annotations

import base64
import json
import random
import string
from dataclasses import dataclass

LETTERS = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
LOWER = string.ascii_lowercase + string.digits
HEX = "0123456789abcdef"
BASE32 = string.ascii_uppercase + "234567"
SEED_WORDS = """
    abandon ability about above absent absorb abstract absurd abuse access acid acoustic across
    action actor actress actual adapt address adjust admit adult advance advice aerobic affair
""".split()  # noqa: SIM905 - as a wallet shows them


@dataclass(frozen=True)
class Case:
    """A class of secrets, a text, and the parts of it that must not be left."""

    name: str
    text: str
    parts: tuple[str, ...]


class Maker:
    """Makes secrets at random, the same each time for the same number."""

    def __init__(self, number: int) -> None:
        self._chance = random.Random(number)
        self.cases: list[Case] = []

    def some(self, length: int, letters: str = LETTERS) -> str:
        """Draw letters, with a digit, a small letter and a capital among them where they may be."""
        while True:
            drawn = "".join(self._chance.choices(letters, k=length))
            kinds = (string.digits, string.ascii_lowercase, string.ascii_uppercase)
            wanted = [kind for kind in kinds if set(kind) & set(letters)]
            if length < 3 or all(set(kind) & set(drawn) for kind in wanted):
                return drawn

    def coded(self, size: int, *, safe: bool = False) -> str:
        """Draw bytes and write them in base64."""
        encode = base64.urlsafe_b64encode if safe else base64.b64encode
        return encode(self._chance.randbytes(size)).decode()

    def password(self) -> str:
        """Make up a password as people do: two words, a number and a sign."""
        words = ["Maple", "River", "Tiger", "Orbit", "Candle", "Falcon", "Meadow", "Copper"]
        first, second = self._chance.sample(words, 2)
        return f"{first}{self._chance.choice('-_.')}{second}{self._chance.randint(10, 99)}!"

    def words(self, count: int) -> str:
        """Draw the words of a wallet."""
        return " ".join(self._chance.choices(SEED_WORDS, k=count))

    def add(self, name: str, text: str, *secrets: str) -> None:
        """Add a case; § stands for the secret, and for each of several in turn."""
        for secret in secrets:
            text = text.replace("§", secret, 1)
        self.cases.append(Case(name, text, secrets))


def add_clouds(make: Maker) -> None:
    """Add what clouds and their services hand out."""
    add, some = make.add, make.some
    add("aws id", "aws_access_key_id = §", "AKIA" + some(16, UPPER))
    add("aws id, alone", "role §", "ASIA" + some(16, UPPER))
    add("aws secret", "aws_secret_access_key = §", some(40))
    add("aws session", "export AWS_SESSION_TOKEN=§", make.coded(120))
    add("aws configure", "aws configure set aws_secret_access_key §", some(40))
    add("google api", "see https://maps.example.com/js?key=§", "AIza" + some(35))
    add("google oauth", "access § granted", "ya29." + some(60))
    add("google client", "GOOGLE_CLIENT_SECRET=§", "GOCSPX-" + some(28))
    key = "\\n".join(make.coded(48) for _ in range(4))
    account = '{"type": "service_account", "private_key": "-----BEGIN PRIVATE KEY-----\\n§\\n"}'
    add("google account", account, key)
    add("azure storage", "AccountName=shop;AccountKey=§;EndpointSuffix=x", make.coded(64))
    add("azure client", "ARM_CLIENT_SECRET=§", some(3) + "8Q~" + some(34))
    sas = "https://shop.blob.core.windows.net/c?sv=2024-01-01&se=2027-01-01&sig=§"
    add("azure signature", sas, make.coded(32).replace("+", "%2B").replace("/", "%2F")[:-1])
    signed = "https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=§"
    add("s3 signature", signed, some(64, HEX))
    add("digitalocean", "doctl auth init -t §", "dop_v1_" + some(64, HEX))
    add("heroku", "HEROKU_API_KEY=§", str(_uuid(make)))
    add("cloudflare", "CLOUDFLARE_API_TOKEN=§", some(40))
    add("vault", "vault login §", "hvs." + some(90))
    add("databricks", "host x token §", "dapi" + some(32, HEX))
    add("alibaba", "id §", "LTAI" + some(20))


def add_developers(make: Maker) -> None:
    """Add what version control, registries and continuous integration hand out."""
    add, some = make.add, make.some
    add("github", "git clone https://x:§@github.com/a/b", "ghp_" + some(36))
    add("github app", "token § expired", "ghs_" + some(36))
    add("github fine", "GITHUB_TOKEN=§", f"github_pat_{some(22)}_{some(59)}")
    add("gitlab", "curl --header 'PRIVATE-TOKEN: §' https://gitlab.com/api/v4", "glpat-" + some(20))
    add("gitlab runner", "gitlab-runner register --token §", "glrt-" + some(20))
    add("bitbucket", "key §", "ATBB" + some(32))
    add("atlassian", "ATLASSIAN_TOKEN=§", "ATATT3xFfGF0" + some(80))
    add("npm", "//registry.example.com/:_authToken=§", "npm_" + some(36))
    add("npm config", "npm config set //registry.example.com/:_authToken §", _uuid(make))
    login = base64.b64encode(f"ci:{make.password()}".encode()).decode()
    add("npmrc auth", "registry=https://npm.example.com\n_auth=§\n", login)
    add("pypi", "twine upload -u __token__ -p § dist/*", "pypi-AgEIcHlwaS5vcmc" + some(70))
    add("pypirc", "[pypi]\nusername = ci\npassword = §\n", some(16))
    add("rubygems", ":rubygems_api_key: §", "rubygems_" + some(48, HEX))
    add("cargo", "cargo login §", "cio" + some(32))
    add("nuget", "dotnet nuget push a.nupkg --api-key §", "oy2" + some(43, LOWER))
    add("docker token", "docker login -u me -p §", "dckr_pat_" + some(27))
    login = base64.b64encode(f"me:{make.password()}".encode()).decode()
    add("docker config", '{"auths": {"r.example.com": {"auth": "§"}}}', login)
    add("circleci", "CIRCLE_TOKEN=§", some(40, HEX))
    add("jenkins", "java -jar jenkins-cli.jar -auth admin:§ list-jobs", "11" + some(32, HEX))
    add("travis", "travis login --github-token §", some(40))
    add("terraform cloud", "token = §", f"{some(14)}.atlasv1.{some(60)}")
    add("sentry", "sentry-cli login --auth-token §", "sntrys_" + some(60))
    add("figma", "X-Figma-Token: §", "figd_" + some(40))
    add("linear", "key §", "lin_api_" + some(40))
    add("snyk", "snyk auth §", _uuid(make))
    add("ngrok", "ngrok config add-authtoken §", f"{some(27)}_{some(20)}")


PREFIXES = {
    "SWMTKN-1-": 50, "sha256~": 43, "CLOJARS_": 60, "squ_": 40, "sgp_": 40, "nvapi-": 60,
    "vercel_blob_rw_": 40, "rnd_": 28, "dckr_oat_": 27, "glsa_": 32, "shpss_": 32, "PMAK-": 59,
    "pscale_pw_": 43, "tskey-": 24, "hvb.": 60, "xoxp-": 40, "ghu_": 36, "gldt-": 20, "pul-": 40,
    "EZAK": 54,
}  # fmt: skip


def add_prefixes(make: Maker) -> None:
    """Add tokens that nothing but their beginning tells."""
    for prefix, length in PREFIXES.items():
        make.add(f"prefix {prefix}", "see § there", prefix + make.some(length))


def add_services(make: Maker) -> None:
    """Add models, chats, payments and mail."""
    add, some = make.add, make.some
    add("openai", "openai.api_key = '§'", "sk-" + some(48))
    add("openai project", "OPENAI_API_KEY=§ python run.py", "sk-proj-" + some(48))
    add("anthropic", "ANTHROPIC_API_KEY=§ claude", f"sk-ant-api03-{some(93)}AA")
    add("hugging face", "huggingface-cli login --token §", "hf_" + some(34))
    add("groq", "key §", "gsk_" + some(52))
    slack = f"xoxb-{some(12, string.digits)}-{some(12, string.digits)}-{some(24)}"
    add("slack bot", "SLACK_BOT_TOKEN=§", slack)
    hook = f"T{some(8, UPPER)}/B{some(8, UPPER)}/{some(24)}"
    add("slack hook", "curl -d x https://hooks.slack.com/services/§", hook)
    discord = f"{some(18, string.digits)}/{some(68)}"
    add("discord hook", "https://discord.com/api/webhooks/§", discord)
    add("discord bot", "DISCORD_TOKEN=§", f"M{some(23)}.{some(6)}.{some(38)}")
    add(
        "telegram", "https://api.telegram.org/bot§/getMe", f"{some(10, string.digits)}:AA{some(33)}"
    )
    add("teams hook", "https://x.webhook.office.com/webhookb2/§", f"{_uuid(make)}@{_uuid(make)}/a")
    add("stripe", "stripe.api_key = '§'", "sk_live_" + some(24))
    add("stripe hook", "STRIPE_WEBHOOK_SECRET=§", "whsec_" + some(32))
    add("square", "key §", "sq0atp-" + some(22))
    add("shopify", "key §", "shpat_" + some(32, HEX))
    add("paypal", "PAYPAL_CLIENT_SECRET=§", f"E{some(79)}")
    add("twilio", "TWILIO_AUTH_TOKEN=§", some(32, HEX))
    add("sendgrid", "key §", f"SG.{some(22)}.{some(43)}")
    add("mailgun", "api:§", f"key-{some(32, HEX)}")
    add("mailchimp", "key §", f"{some(32, HEX)}-us14")
    add("datadog", "DD_API_KEY=§", some(32, HEX))
    add("new relic", "key §", "NRAK-" + some(27, UPPER))
    add("card", "card §", "4539 1488 0343 6467")


def add_addresses(make: Maker) -> None:
    """Add what stands in addresses and headers."""
    add, some = make.add, make.some
    add("postgres", "postgresql://shop:§@db.internal:5432/shop", some(16))
    add("mysql address", "mysql+pymysql://root:§@db/shop?charset=utf8", make.password())
    add("redis address", "redis://:§@cache.internal:6379/0", some(18))
    add("mongo", "mongodb+srv://root:§@cluster0.example.net/test", some(18))
    add("amqp", "amqps://guest:§@mq.internal/vhost", some(18))
    jdbc = "jdbc:postgresql://db/shop?user=app&password=§&ssl=true"
    add("jdbc", jdbc, some(14))
    add("odbc", "Driver={ODBC};Server=db;Uid=sa;Pwd=§;Encrypt=yes", make.password())
    add("dsn", "host=db user=shop password=§ dbname=shop", some(14))
    add("sentry dsn", "SENTRY_DSN=https://§@o1.ingest.example.io/42", some(32, HEX))
    basic = base64.b64encode(f"admin:{make.password()}".encode()).decode()
    add("basic", "Authorization: Basic §", basic)
    add("bearer", "curl -H 'Authorization: Bearer §' https://api.example.com", some(40))
    header = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = base64.urlsafe_b64encode(f'{{"sub":"{some(12)}"}}'.encode()).decode().rstrip("=")
    jwt = f"{header}.{body}.{make.coded(32, safe=True).rstrip('=')}"
    add("jwt", "sent § to the server", jwt)
    add("api key header", "X-API-Key: §", some(32))
    add("cookie", "Cookie: sessionid=§; theme=dark", some(40))
    add("set-cookie", "Set-Cookie: auth=§; HttpOnly; Path=/", some(40))
    add("token in query", "GET /a?user=b&access_token=§ HTTP/1.1", some(32))
    add("otp", "otpauth://totp/shop:me?secret=§&issuer=shop", some(32, BASE32))
    add("curl user", "curl -u admin:§ https://example.com", some(14))
    add("long curl", "curl -s \\\n  -X POST \\\n  -u admin:§ \\\n  https://example.com", some(14))


def add_files(make: Maker) -> None:
    """Add what stands in files that keep credentials."""
    add, some = make.add, make.some
    add("env file", "DEBUG=1\nDB_PASSWORD=§\nPORT=80\n", make.password())
    add("json setting", '{"user": "shop", "password": "§"}', make.password())
    add("yaml setting", "db:\n  client_secret: §\n  port: 1\n", some(24))
    add("ini setting", "[smtp]\npassword = §\nport = 25\n", some(16))
    add("netrc", "machine api.example.com login me password §", some(14))
    add("pgpass", "db.internal:5432:shop:app:§", some(14))
    add("kubeconfig", "users:\n- name: a\n  user:\n    token: §\n", some(60))
    data = base64.b64encode(make.password().encode()).decode()
    add("kubernetes", "apiVersion: v1\nkind: Secret\ndata:\n  any: §\n", data)
    add("client key", "    client-key-data: §\n", make.coded(240))
    add("terraform", 'variable "db_password" {\n  default = "§"\n}', make.password())
    add("ansible", "ansible_become_pass: §\n", make.password())
    add("htpasswd file", "admin:§", f"$apr1${some(8)}${some(22)}")
    add("shadow", "root:§:19000:0:99999:7:::", f"$6${some(12)}${some(86)}")
    lines = [make.coded(48) for _ in range(5)]
    pem = "-----BEGIN RSA PRIVATE KEY-----\n§\n§\n§\n§\n§\n-----END RSA PRIVATE KEY-----"
    add("pem", pem, *lines)
    add("putty", "Private-Lines: 2\n§\n§\nPrivate-MAC: 1", make.coded(48), make.coded(48))
    add("age", "# created\n§\n", "AGE-SECRET-KEY-1" + some(58, UPPER))
    add("wireguard", "[Interface]\nPrivateKey = §\n", make.coded(32))
    add("wifi", 'network={\n  ssid="home"\n  psk="§"\n}', make.password())
    add("jwk", '{"kty": "oct", "k": "§"}', make.coded(32, safe=True).rstrip("="))
    add("seed", "seed phrase: §", make.words(12))
    add("recovery", "My wallet recovery words are: §", make.words(24))
    add("mnemonic", 'MNEMONIC="§"', make.words(12))
    add("backup codes", "2FA backup codes: §", f"{some(5, LOWER)}-{some(5, LOWER)}")
    add("private", "<private>the word is § here</private>", "opensesame")
    add("rails", "secret_key_base: §", some(128, HEX))
    add("django", "SECRET_KEY = 'django-insecure-§'", some(50))
    add("properties", "spring.datasource.password=§", make.password())
    add("xml", '<add key="Password" value="§" />', make.password())


def add_commands(make: Maker) -> None:
    """Add what programs take on their command line."""
    add, some = make.add, make.some
    add("sshpass", "sshpass -p '§' ssh root@host", make.password())
    add("sshpass, bare", "sshpass -p § ssh root@host", some(14))
    add("mysql", "mysql -u root -p§ shop", some(12))
    add("psql", "PGPASSWORD=§ psql -h db -U app", some(14))
    add("password flag", "tool --password § --verbose", make.password())
    add("redis auth", "redis-cli -h cache AUTH §", some(14))
    add("redis auth, named", "redis-cli -h cache AUTH alice §", some(14))
    add("redis flag", "redis-cli -h cache -a § ping", some(14))
    add("login", "login alice §", make.password())
    add("mysqladmin", "mysqladmin -u root password '§'", make.password())
    add("htpasswd", "htpasswd -b /etc/nginx/users alice §", some(12))
    add("mosquitto", "mosquitto_passwd -b users alice §", some(12))
    add("smbclient", "smbclient //files/share § -U alice", some(12))
    add("net user", "net user alice § /add", make.password())
    add("wpa", "wpa_passphrase home §", make.password())
    add("bitwarden", "bw login alice@example.com §", make.password())
    add("minio", "mc alias set store https://minio.example.com admin §", some(20))
    add("composer", "composer config http-basic.repo.example.com alice §", some(20))
    add("poetry", "poetry config http-basic.shop alice §", some(20))
    add("plink", "plink -ssh root@host -pw § uptime", some(14))
    add("sqlplus", "sqlplus system/§@db:1521/XE", some(14))
    add("db2", "db2 connect to shop user app using §", some(14))
    add("openssl", "openssl rsa -in k.pem -passin pass:§", make.password())
    add("zip", "zip -P § out.zip a.txt", some(12))
    add("seven zip", "7z a -p§ out.7z a.txt", some(12))
    add("ldap", "ldapsearch -x -D cn=admin -w § -b dc=x", some(12))
    add("here string", "sudo -S ls <<< '§'", make.password())
    add("standard input", "echo '§' | docker login -u me --password-stdin", make.password())
    add("chpasswd", "echo 'root:§' | chpasswd", make.password())
    add("kubectl", "kubectl create secret generic db --from-literal=url=§", make.password())
    add("expect", 'expect "assword:"\nsend "§\\r"', make.password())
    add("keychain", "security unlock-keychain -p § login.keychain", some(12))
    add("sql user", "CREATE USER app WITH PASSWORD '§';", make.password())
    add("sql identified", "ALTER USER 'a'@'%' IDENTIFIED BY '§';", make.password())
    insert = "INSERT INTO users (name, email, password) VALUES ('al', 'a@x.io', '§');"
    add("sql insert", insert, make.password())
    add("csv column", "name,password,role\nalice,§,admin\n", make.password())
    add("prose", "the database password is §, use it", make.password())
    add("prose, german", "Das Passwort lautet: §", make.password())
    add("credentials", "the credentials: admin / §", make.password())


def add_disguised(make: Maker) -> None:
    """Add what has to be joined or decoded before it can be seen."""
    add, some = make.add, make.some
    setting = base64.b64encode(f"password={some(9)}".encode()).decode()
    add("encoded setting", "CONFIG_B64=§", setting)
    login = base64.b64encode(f"bob:{make.password()}".encode()).decode()
    add("encoded login", "CONFIG_B64=§", login)
    text = base64.b64encode(json.dumps({"db": {"password": make.password()}}).encode()).decode()
    add("encoded json", "helm install --set-string values=§", text)
    token = base64.b64encode(("ghp_" + some(36)).encode()).decode()
    add("encoded token", "echo § | base64 -d", token)
    add("continued", "TOKEN=§\\\n§ make", "ghp_" + some(12), some(24))
    add("wrapped", "the token is §\n§\n", "ghp_" + some(20), some(16))
    add("folded", "token: §\n  §\nport: 1\n", "glpat-" + some(10), some(10))
    add("continued text", 'key: "§\\\n      §"\n', "sk-proj-" + some(20), some(28))
    add("added", 'token = "ghp_" + "§"', some(36))
    add("added over lines", 'token = (\n    "ghp_§"\n    "§"\n)', some(20), some(16))
    add("added with a dot", "$key = 'sk_live_' . '§';", some(24))
    add("joined", '["glpat-", "§"].join("")', some(20))
    add("adjacent quotes", "TOKEN='ghp_'\"§\" make", some(36))
    add("added password", 'password = "Maple" + "§"', some(10))


def _uuid(make: Maker) -> str:
    return "-".join(make.some(length, HEX) for length in (8, 4, 4, 4, 12))


def make_cases(number: int = 1) -> list[Case]:
    """Make one case of every class."""
    make = Maker(number)
    add_clouds(make)
    add_developers(make)
    add_services(make)
    add_prefixes(make)
    add_addresses(make)
    add_files(make)
    add_commands(make)
    add_disguised(make)
    return make.cases
