"""Programs that take a secret on their command line, and where.

A usage is written as a manual writes it. A word in capitals is any word, one in brackets may be
left out, and `...` is anything on the line. SECRET is taken whatever it is; TOKEN only where it
looks like one, as the words around it are met in sentences too. `~` may be a blank or nothing, `*`
any letters, `|` separates words of which one stands there.
"""

from __future__ import annotations

USAGES = (
    # Options
    "sshpass ... -p~SECRET",
    "mysql|mysqldump|mysqladmin|mysqlimport|mysqlsh|mysqlcheck|mysqlshow|mariadb|mariadb-dump"
    "|mariadb-admin ... -pSECRET",
    "login ... -p SECRET",
    "redis-cli ... -a|--pass SECRET",
    "ldapsearch|ldapadd|ldapmodify|ldapdelete|ldapwhoami|ldapcompare|ldappasswd ... -w|-s~SECRET",
    "mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|mongostat|cqlsh|influx"
    " ... -p|--p SECRET",
    "snmpwalk|snmpget|snmpset|snmpgetnext|snmpbulkwalk|snmptrap ... -A|-X|-c SECRET",
    "sqlcmd|bcp|isql|tsql|zip|unzip|ipmitool|mosquitto_pub|mosquitto_sub ... -P~SECRET",
    "openssl ... -k|-K SECRET",
    "ssh-keygen ... -N|-P SECRET",
    "plink|pscp|psftp|putty ... -pw SECRET",
    "7z|7za|7zr|rar|unrar ... -pSECRET",
    "rar ... -hpSECRET",
    "security ... -p|-w|-P SECRET",
    "steghide|rdesktop|racadm|hydra|evil-winrm|crackmapexec|netexec|nxc ... -p SECRET",
    "x11vnc|vncviewer ... -passwd|-storepasswd SECRET",
    "xfreerdp ... /p:SECRET",
    "gh|glab ... secret|variable ... --body|-b SECRET",
    "dotnet|nuget ... push ... -k|--api-key SECRET",
    "doctl ... init ... -t SECRET",
    "codecov ... -t TOKEN",
    "qpdf ... --encrypt SECRET SECRET",
    "kubectl|oc ... --from-literal=NAME=SECRET",
    "kubectl|oc ... --from-literal NAME=SECRET",
    "aws ... put-parameter ... --value TOKEN",
    "az|gcloud|aws ... secret|secrets|create-secret ... --value|--secret-string SECRET",
    "ConvertTo-SecureString SECRET",
    "ConvertTo-SecureString ... -String SECRET",
    "pass:SECRET",
    # Operands
    "redis-cli ... AUTH|auth [NAME] SECRET",
    "AUTH PLAIN|LOGIN|XOAUTH2 SECRET",
    "AUTH [NAME] TOKEN",
    "masterauth|requirepass SECRET",
    "SETUSER ... >SECRET",
    "vault ... put|patch ... NAME=TOKEN",
    "htpasswd ... -*b* [FILE] NAME SECRET",
    "mosquitto_passwd ... -b FILE NAME SECRET",
    "mysqladmin ... password SECRET",
    "smbclient //* SECRET",
    "net user NAME TOKEN",
    "net use ... /user:* SECRET",
    "net use DRIVE \\\\* TOKEN",
    "rabbitmqctl ... add_user|change_password|authenticate_user NAME SECRET",
    "add_user|change_password NAME SECRET",
    "samba-tool user create|add NAME SECRET",
    "ejabberdctl|prosodyctl register NAME HOST SECRET",
    "radtest NAME SECRET HOST PORT SECRET",
    "wpa_passphrase NAME SECRET",
    "networksetup -setairportnetwork DEVICE NAME SECRET",
    "bw login NAME SECRET",
    "bw unlock TOKEN",
    "op signin HOST NAME SECRET",
    "mc alias set NAME URL SECRET SECRET",
    "mc config host add NAME URL SECRET SECRET",
    "composer|poetry config ... http-basic.* NAME SECRET",
    "composer|poetry config ... github-oauth.*|pypi-token.* SECRET",
    "bundle config ... HOST NAME:TOKEN",
    "cargo|vault|bw|hub|flyctl|fly login TOKEN",
    "snyk|clasp|pulumi auth|login TOKEN",
    "ngrok authtoken TOKEN",
    "ngrok config add-authtoken TOKEN",
    "nuget setapikey TOKEN",
    "rclone obscure SECRET",
    "mkpasswd|grub-mkpasswd-pbkdf2 TOKEN",
    "openssl passwd ... TOKEN",
    "drush|wp ... user:password NAME SECRET",
    "grafana-cli|grafana ... reset-admin-password SECRET",
    "sqlplus|sqlldr|expdp|impdp|rman ... NAME/SECRET@",
    "sqlplus|sqlldr|expdp|impdp|rman NAME/TOKEN",
    "connect|conn NAME/TOKEN@",
    "db2 connect to NAME user NAME using SECRET",
    "teamviewer passwd SECRET",
    "secret|secrets set|put|add|create ... NAME=SECRET",
    "login|signin|logon|authenticate|auth NAME TOKEN",
    "IDENTIFIED|identified BY|by TOKEN",
    "NickServ identify|IDENTIFY SECRET",
    # What a user and a password are one word of
    "curl|wget|http|https|xh ... -u|--user|-U|--proxy-user|-a|--auth~NAME:SECRET",
    "smbclient|smbget|smbmap|smbcacls|rpcclient|winexe ... -U~NAME%SECRET",
    "lftp ... -u~NAME,SECRET",
    "etcdctl|elasticsearch|jenkins-cli ... --user|-auth~NAME:SECRET",
)
# Programs that read a secret from what is given to them on standard input.
READERS = (
    "sudo -S", "--password-stdin", "--stdin", "chpasswd", "passwd", "--with-token", "smbpasswd",
    "--passphrase-fd", "kinit", "cryptsetup", "docker secret create", "podman secret create",
    "wrangler secret put", "gh secret set", "vault login -",
)  # fmt: skip
