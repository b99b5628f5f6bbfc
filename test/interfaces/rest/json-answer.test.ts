import { pageAnswer } from '../../../src/interfaces/rest/json-answer.js';

const page = (name: string) => ({
  pets: [{ id: 9007199254740993n, name, categoryId: 1n, status: 'sold' as const, createdAt: new Date(0) }],
  hasMore: false,
});

test('requests that share a page share its JSON; equal pages have equal JSON', () => {
  const shared = page('Rex');
  const answer = pageAnswer(shared);
  expect(answer.json).toBe('[{"id":9007199254740993,"name":"Rex","categoryId":1,"status":"sold"}]');
  expect(pageAnswer(shared)).toBe(answer);
  expect(pageAnswer(page('Rex'))).not.toBe(answer);
  expect(pageAnswer(page('Rex'))).toEqual(answer);
  expect(pageAnswer(page('Max')).etag).not.toBe(answer.etag);
});
