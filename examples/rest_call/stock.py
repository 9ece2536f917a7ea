"""Asks another system over REST how much of a material is in stock."""

import json
import os
import urllib.error
import urllib.parse
import urllib.request

from mpms.plugins import BusinessError, Job, Plugin, Topic

LIMIT_S = 10.0


def in_stock(job: Job) -> dict[str, float]:
    """A material that is not known goes to the model; everything else is retried."""
    base = os.environ["STOCK_URL"].rstrip("/")
    if not base.startswith(("http://", "https://")):
        raise ValueError(f"STOCK_URL is no address of the web: {base}")
    code = urllib.parse.quote(job.inputs["material"], safe="")
    asked = urllib.request.Request(  # noqa: S310
        f"{base}/stock/{code}", headers={"Idempotency-Key": job.idempotency_key}
    )
    try:
        with urllib.request.urlopen(asked, timeout=LIMIT_S) as answer:  # noqa: S310
            return {"in_stock_kg": float(json.load(answer)["kg"])}
    except urllib.error.HTTPError as refused:
        if refused.code == 404:
            raise BusinessError("MaterialUnknown", f"nobody knows {code}") from refused
        raise


plugin = Plugin("stock", topics={"stock.ask": Topic(in_stock, limit_s=2 * LIMIT_S)})
