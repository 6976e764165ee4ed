"""Code patterns that show entry points, interfaces, configuration and model use."""

from __future__ import annotations

from dmm.ask import libraries
from dmm.ask.persistence import PERSISTENCE
from dmm.ask.rule import write_import, write_rule, write_use
from dmm.ask.sections import Section

_ENTRY = Section.ENTRY_POINTS
ENTRY_POINTS = (
    write_rule(
        _ENTRY, "main guard", 3, "__main__", r"^(?P<at>if)\s+__name__\s*==\s*[\"']__main__[\"']"
    ),
    write_rule(
        _ENTRY, "main function", 5, "func", r"^(?P<at>func)\s+main\s*\(\s*\)", r"^package\s+main\b"
    ),
    write_rule(
        _ENTRY, "main function", 5, "fn", r"^(?P<at>(?:pub\s+)?(?:async\s+)?fn)\s+main\s*\("
    ),
    write_rule(
        _ENTRY, "main function", 5, "void", r"^[ \t]*(?P<at>public)\s+static\s+void\s+main\s*\("
    ),
    write_rule(
        _ENTRY,
        "main function",
        5,
        "Main",
        r"^[ \t]*(?P<at>(?:private |public |internal )?static)\s+(?:async\s+)?"
        r"(?:void|int|Task(?:<int>)?)\s+Main\s*\(",
    ),
    write_rule(_ENTRY, "main function", 5, "main", r"^(?P<at>int|void|fun)\s+main\s*\("),
    write_rule(
        _ENTRY,
        "application",
        4,
        "FastAPI( Flask( Starlette( Sanic( Application(",
        r"^(?:\w+\s*(?::\s*[\w.]+\s*)?=\s*)"
        r"(?P<at>(?:fastapi\.)?FastAPI|(?:flask\.)?Flask|Starlette|Sanic|web\.Application)\(",
    ),
    write_rule(
        _ENTRY,
        "server",
        4,
        ".listen(",
        r"(?P<at>\b\w+)\.listen\(\s*(?:[\w.]{0,60}\(?[\"']?\w{0,60}(?i:port)|process\.env|\d{2,5})",
    ),
    write_use(_ENTRY, "server", 3, libraries.SERVERS),
    write_rule(
        _ENTRY, "application", 5, "use Application", r"^[ \t]*(?P<at>use)\s+Application\s*$"
    ),
    write_rule(
        _ENTRY,
        "application",
        4,
        "autoload bootstrap/app",
        r"^(?P<at>require(?:_once)?)\b.*(?:vendor/autoload|bootstrap/app)\.php",
    ),
    write_rule(_ENTRY, "server", 3, "Bun.serve Deno.serve", r"(?P<at>\b(?:Bun|Deno)\.serve)\("),
    write_rule(
        _ENTRY,
        "server",
        3,
        "uvicorn.run ListenAndServe serve_forever",
        r"(?P<at>\buvicorn\.run|\bhttp\.ListenAndServe(?:TLS)?|\bserve_forever)\(",
    ),
)

_HTTP_APP = r"\b(?:fastapi\.)?FastAPI|\b(?:flask\.)?Flask|\bStarlette|\bSanic|\bweb\.Application"
_SERVES = Section.SURFACES
SURFACES = (
    write_rule(
        _SERVES,
        "cli",
        4,
        ".command( .add_typer( .add_command(",
        r"(?P<at>\b\w+)\.(?:command|add_typer|add_command)\(",
        write_import("typer|click"),
    ),
    write_rule(
        _SERVES,
        "cli",
        3,
        "Typer ArgumentParser click fire docopt",
        r"(?P<at>\b(?:typer\.Typer|(?:argparse\.)?ArgumentParser|click\.(?:group|command|Group)"
        r"|fire\.Fire|docopt))\b",
        write_import("typer|argparse|click|fire|docopt"),
    ),
    write_use(_SERVES, "cli", 3, libraries.COMMAND_LINES),
    write_rule(
        _SERVES,
        "http",
        4,
        "FastAPI( Flask( Starlette( Sanic( Application(",
        rf"(?P<at>{_HTTP_APP})\(",
        write_import("fastapi|flask|starlette|sanic|aiohttp"),
    ),
    write_rule(
        _SERVES,
        "http",
        3,
        ".get( .post( .put( .delete( .patch( .route( .websocket(",
        r"^[ \t]*(?P<at>@\w+(?:\.\w+)*\.(?:get|post|put|delete|patch|route|websocket))\(\s*[\"']/",
    ),
    write_rule(
        _SERVES,
        "http",
        3,
        "APIRouter Blueprint BaseHTTPRequestHandler",
        r"(?P<at>\b(?:APIRouter|Blueprint|BaseHTTPRequestHandler))\b",
        write_import(r"fastapi|flask|http\.server"),
    ),
    write_rule(_SERVES, "http", 4, "urlpatterns", r"^[ \t]*(?P<at>urlpatterns)\s*=\s*\["),
    write_rule(
        _SERVES,
        "http",
        3,
        "app. router. server. r. e. m. mux.",
        r"(?P<at>\b(?:app|\w*[rR]outer|server|r|e|m|mux|\w+[gG]roup|\w+Base)\.(?:get|post|put|delete"
        r"|patch|route|GET|POST|PUT|DELETE|Get|Post|Put|Delete|HandleFunc|Handle))\(\s*[\"'`]/",
        many=5,
    ),
    write_rule(
        _SERVES,
        "http",
        3,
        "Route:: Rails.application.routes resources",
        r"^[ \t]*(?P<at>Route::(?:get|post|put|delete|group|resource|apiResource|middleware)\("
        r"|Rails\.application\.routes\.draw\b|resources?\s+:\w)",
        many=5,
    ),
    write_rule(
        _SERVES,
        "http",
        3,
        "GET POST PUT DELETE NextApiRequest",
        r"^(?P<at>export)\s+(?:(?:async\s+)?function|const)\s+(?:GET|POST|PUT|DELETE)\b"
        r"|^(?P<page>export)\s+default\s[^{]{0,200}\bNextApiRequest\b",
    ),
    write_rule(
        _SERVES,
        "http",
        3,
        "[Http [ApiController] #[get( #[post( :router",
        r"^[ \t]*(?P<at>\[(?:Http(?:Get|Post|Put|Delete|Patch)|ApiController)\b"
        r"|\#\[(?:get|post|put|delete|patch)\(|use\s+[\w.]+,\s+:router\b)",
        many=5,
    ),
    write_rule(
        _SERVES,
        "http",
        3,
        "web::resource web::scope .route(",
        r"(?P<at>\bweb::(?:resource|scope)|\.route)\(\s*\"/",
        r"\b(?:actix_web|axum)\b",
        many=3,
    ),
    write_rule(_SERVES, "http", 3, "http.HandleFunc", r"(?P<at>\bhttp\.HandleFunc)\("),
    write_rule(
        _SERVES,
        "http",
        3,
        "Mapping @RestController @Controller",
        r"^[ \t]*(?P<at>@(?:(?:Get|Post|Put|Delete|Request)Mapping\b|RestController\b"
        r"|Controller\())",
    ),
    write_rule(_SERVES, "http", 3, "Router::new", r"(?P<at>\bRouter::new)\(\)"),
    write_use(_SERVES, "mcp", 3, libraries.PROTOCOLS),
    write_use(_SERVES, "rpc", 3, libraries.REMOTE_CALLS),
    write_rule(_SERVES, "library", 1, "__all__", r"^(?P<at>__all__)\s*="),
    write_rule(_SERVES, "library", 1, "export", r"^(?P<at>export)\s+(?:\*|\{|default\b)"),
    write_rule(_SERVES, "library", 1, "pub", r"^(?P<at>pub)\s+(?:mod|use)\s+\w"),
)

CONFIGURATION = (
    write_rule(
        Section.CONFIGURATION,
        "settings",
        4,
        "onfig ettings",
        r"^[ \t]*(?:export\s+)?(?P<at>class|pub\s+struct|struct|type)"
        r"\s+(?:(?:[cC]onfig(?:uration)?(?:Options|File)?|[sS]ettings)\b(?!\s*=)"
        r"|\w+\([^)\n]*BaseSettings\))",
    ),
    write_rule(
        Section.CONFIGURATION,
        "settings",
        3,
        "Config Settings ptions Opt",
        r"^[ \t]*(?:export\s+)?(?P<at>class|pub\s+struct|struct|type|interface)"
        r"\s+(?:\w+(?:Config(?:uration)?|Settings)|[oO]ptions|Opt)\b(?!\s*=)",
    ),
    write_rule(
        Section.CONFIGURATION,
        "settings",
        4,
        "INSTALLED_APPS",
        r"^(?P<at>INSTALLED_APPS)\s*(?::[^=\n]+)?=",
    ),
    write_rule(
        Section.CONFIGURATION,
        "environment",
        2,
        "environ env ENV getenv Getenv EnvVar",
        r"(?P<at>\bos\.environ\b|\b(?:os\.)?get_?env\(|\bprocess\.env\.|\bos\.Getenv\("
        r"|\bSystem\.getenv\(|\benv::var\(|\bENV\[|\bENV\.fetch\(|\bEnvVars\(|\bEnvVars?:"
        r"|\bget_(?:bool_|int_)?env\w*\(|\benv(?:\.\w+)?\(\s*[\"'][A-Z])",
        many=5,
    ),
)

# A runtime of models speaks of language where the file has to do with text.
_ABOUT_TEXT = r"\b\w*(?:token|embed|prompt|sentence|Token|Embed|Prompt)\w*"
_AI = Section.AI_GENERATION
AI_GENERATION = (
    write_use(_AI, "model library", 4, libraries.MODEL_LIBRARIES),
    write_use(_AI, "model runtime", 3, libraries.MODEL_RUNTIMES, _ABOUT_TEXT),
    write_rule(
        _AI,
        "model service",
        3,
        "api.",
        r"(?P<at>\bapi)\.(?:openai|anthropic|mistral|cohere|groq)\.(?:com|ai)\b",
        in_string=True,
    ),
    write_rule(
        _AI,
        "model service",
        2,
        "/completions /embeddings /messages",
        r"(?P<at>/)(?:v1/)?(?:chat/completions|embeddings|messages)[\"'?]",
        r"\b(?:max_tokens|maxTokens|input_tokens|completion)\b",
        in_string=True,
    ),
)
RULES = (*ENTRY_POINTS, *PERSISTENCE, *SURFACES, *CONFIGURATION, *AI_GENERATION)
