"""Lines of code, commands, settings and talk that hold no secret."""

from __future__ import annotations

LINES = r"""
TOKEN=your_api_key_here
api_key = "changeme"
password: CHANGE_ME
password: <password>
token: [YOUR TOKEN]
token: {{ token }}
set TOKEN=%TOKEN%
TOKEN=$(cat /run/token)
TOKEN=`cat /run/token`
const t = process.env['API_TOKEN']
ENV['API_TOKEN']
System.getenv("API_TOKEN")
Deno.env.get("API_TOKEN")
password: vault:secret/data/db#password
password: op://Private/db/password
PASSWORD=op://Private/db/password
secretArn: arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf
password: ENC[AES256_GCM,data:k3Jd9sL2,iv:V5bN7rT1yH6gP4wZ0cAeUiOqk3Jd9sL2mQ8xV5bN7rT=,type:str]
https://user:pass@example.com/x
https://username:password@host/x
redis://:password@localhost:6379/0
postgres://postgres:postgres@localhost:5432/test
mongodb://localhost:27017/test
curl -u user:password https://example.com
curl -H "Authorization: Bearer ${TOKEN}" https://example.com
curl -H "Authorization: Bearer $(gcloud auth print-access-token)" https://x.io
curl -H 'X-Api-Key: <key>' https://x.io
docker login -u "$USER" -p "$PASS" r.io
sshpass -f /run/pass ssh root@host
sshpass -e ssh root@host
mysql --defaults-file=/etc/my.cnf shop
mysql -h db -u app -p
psql -U app -W shop
redis-cli -a "$PASS" ping
redis-cli AUTH "$PASS"
htpasswd -c users alice
openssl passwd -6 -stdin
openssl rand -hex 32
ssh-keygen -t ed25519 -N "" -f id
gpg --passphrase-file /run/p -d f
git push origin main
git config user.name "Ada Lovelace"
npm config set save-exact true
npm_config_cache_lock_stale_timeout_ms=60000
aws configure set output json
kubectl get secret db -o jsonpath='{.data.password}'
kubectl create secret generic db --from-file=password=./pw.txt
kubectl create secret generic db --from-env-file=.env
helm install x y --set replicas=3
vault kv get secret/db
vault kv put secret/db @data.json
gh secret set FOO < token.txt
gh secret list
az login --use-device-code
gcloud auth login
gcloud auth application-default login
aws sso login --profile shop-dev2
login as the admin user v2
please login with OAuth2 at https://sso.example.com
the login page LoginPageV2 is new
auth flow PKCE and OAuth2.1
auth service v2.3.1 started
connect ECONNREFUSED 127.0.0.1:5432
connect to db1/shop2 over TLS1.3
identified by id 42
user identified by UUIDv7
AUTH failed for user bob
AUTH LOGIN is disabled
net user experience improved by 12%
net use of memory is 4MB
expect "password:" and send the form
send "hello" to the server
echo "done" | tee out.txt
echo hello | sudo tee /etc/motd
cat <<EOF > /tmp/x
name,password_hint,role
user,password
| name | type | password? |
id | name | token_count
SELECT id, password FROM users WHERE name = 'bob'
INSERT INTO tokens (id, kind) VALUES (1, 'refresh');
CREATE TABLE users (id int, password varchar(255) NOT NULL);
ALTER TABLE users ADD COLUMN password_hash text;
GRANT SELECT ON users TO app;
x = "a" + "b" + "c"
url = "https://" + host + "/v1/" + "users"
msg = "The password " + "is wrong"
msg = ("The token is "
       "invalid or expired")
log.info("token expired for user " + user.id)
const cls = 'btn ' + 'btn-primary';
path = "/api/" "v2/" "login"
SHA-256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
resolved "https://files.example.com/a/-/a-1.0.0.tgz#3f786850e387550fdab836ed7e6dc881de23001b"
checksum: 10c0/3f786850e387550fdab836ed7e6dc881de23001b3f786850e387550fdab836ed7e6dc881de23001b
commit 460482a7d1f0c3b2a1e5d4c6b7a8f9e0d1c2b3a4 (HEAD -> main, tag: v1.2.3)
v1.2.3-beta.4+sha.460482a
numpy-1.26.4-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl
docker.io/library/postgres:16-alpine@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
trace_id=4bf92f3577b34da6a3ce929d0e0e4736 span_id=00f067aa0ba902b7
traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
x-request-id: 7d9f2c1e-4b3a-4c5d-8e6f-0a1b2c3d4e5f
ETag: W/"33a64df551425fcc55e4d42a148795d9f25f89d4"
eth0: 02:42:ac:11:00:02
0x742d35Cc6634C0532925a3b844Bc454e4438f44e
pod/api-7d9f8c6b5d-x2x4z 1/1 Running
i-0abcd1234efgh5678 t3.micro
projects/shop-prod/locations/europe-west1/keyRings/main/cryptoKeys/db/cryptoKeyVersions/3
arn:aws:kms:eu-west-1:123456789012:key/7d9f2c1e-4b3a-4c5d-8e6f-0a1b2c3d4e5f
{"kid": "2024-05", "alg": "RS256", "use": "sig"}
pk_test_ is the prefix of publishable keys
"id": "toolu_01A09q90qw90lq917835lq9"
"id": "call_MHxkSk9oYzZxT1BqRzV0WVJhQm1"
"id": "chatcmpl-9tXkS2mQ8xV5bN7rT1yH6gP4wZ0cA"
AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/
ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789
lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor
apt install -y git curl wget vim nano htop tmux zsh make gcc perl ruby
the seed words of the index are chosen by hand and kept sorted in a file
recovery is tested every week by hand and the backup restored into staging
def test_login(client): client.post("/login", data={"password": "password"})
assert hash_password("password") != "password"
self.password = password
password = password or getpass.getpass()
password=password, token=token
f(token=None, password=None)
this.token = token;
token: string | null;
@Input() password!: string;
password: z.string().min(8),
<input type="password" name="password" placeholder="Password">
<label for="password">Password</label><input id="password">
<th>Password</th><th>Role</th>
.password-field { color: #aabbcc; }
#token-list > li:nth-child(2)
{"error": "invalid_token", "error_description": "The token expired"}
WWW-Authenticate: Bearer realm="api", error="invalid_token"
Set-Cookie header missing
Access-Control-Allow-Headers: Authorization, X-Api-Key
--password-file=/run/secrets/pw
--token-ttl=15m
PASSWORD_RESET_TIMEOUT=259200
SECRET_NAME=db-credentials
AWS_PROFILE=shop-dev AWS_REGION=eu-central-1
GITHUB_SHA=460482a7d1f0c3b2a1e5d4c6b7a8f9e0d1c2b3a4
SSH_AUTH_SOCK=/tmp/ssh-XXXXXXabcd12/agent.1234
XDG_SESSION_ID=c2
KEY_LENGTH=2048
PGPASSFILE=/home/me/.pgpass
mail from bob@example.com to al@example.com
git@github.com:o/r.git
root@host:/etc#
12:30:45 user@host:~$ ls
key=value; other=thing
"key": "ctrl+shift+p"
"keybindings": [{"key": "cmd+k2", "command": "x"}]
key: "users/2024/report-v2.csv"
for key in sorted(d): print(key, d[key])
cache-key: node-modules-v2-{{ checksum "yarn.lock" }}
key: ${{ runner.os }}-pip-${{ hashFiles('**/requirements.txt') }}
""".strip().splitlines()
