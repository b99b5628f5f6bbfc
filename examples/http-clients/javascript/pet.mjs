/** What each program of this folder sends. */
import { randomUUID } from 'node:crypto';

export const { BASE_URL = 'http://127.0.0.1:3000', API_KEY } = process.env;
export const pet = { name: 'Pixel', categoryId: 2 };
export const headers = { Authorization: `Bearer ${API_KEY}`, 'Idempotency-Key': randomUUID() };
