"""Common forms of English rules, compiled into the fields of a rule file."""
