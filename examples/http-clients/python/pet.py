"""What each program of this folder sends."""

import os
import uuid

BASE_URL = os.environ.get("BASE_URL", "http://127.0.0.1:3000")
PET = {"name": "Pixel", "categoryId": 2}
HEADERS = {"Authorization": f"Bearer {os.environ['API_KEY']}", "Idempotency-Key": str(uuid.uuid4())}
