"""Events as the server sends them."""

from __future__ import annotations

from typing import Any

ID = "0198c1f4-6a10-7d21-8c4f-3b5a7d9e1f20"
MOMENT = "2027-01-31T12:00:00.000Z"
LEAD: dict[str, Any] = {
    **{"id": ID, "store_id": ID, "name": "Ana", "customer_phone": "5511961234567", "status": "pending"},
    **{"seller_id": None, "external_id": None, "email": None, "tags": [], "metadata": {}, "interaction_count": 0},
    **{"ai_paused_until": None, "created_at": MOMENT, "updated_at": MOMENT},
}


def lead_event(sequence: int) -> dict[str, Any]:
    return {
        **{"id": ID, "type": "lead.created", "created_at": MOMENT, "sequence": sequence, "store_id": ID},
        "entity": {"type": "lead", "id": ID, "version": sequence, "etag": '"v1.0"'},
        **{"actor": {"kind": "api_key", "id": "abc"}, "request_id": ID, "previous": None},
        "data": {"lead_id": ID, "status": "pending", "seller_id": None, "object": LEAD},
    }
