/** The baseline: node:http and the driver. No authentication, no quota, no validation. Argument: MongoDB's URI. */
const { createServer } = require('node:http');
const { openPets } = require('./bare-pets.cjs');
const { listen } = require('./listen.cjs');

async function main() {
  const pets = await openPets(process.argv[2]);

  async function answer(req) {
    const url = new URL(req.url, 'http://127.0.0.1');
    if (req.method === 'POST') return [201, await pets.create(JSON.parse(await bodyOf(req)))];
    if (url.pathname === '/v1/pets')
      return [200, await pets.list(url.searchParams.get('status'), Number(url.searchParams.get('limit')))];
    const id = Number(url.pathname.slice('/v1/pets/'.length));
    if (req.method === 'PATCH') return [200, await pets.update(id, JSON.parse(await bodyOf(req)))];
    return [200, await pets.get(id)];
  }

  const server = createServer((req, res) => {
    answer(req)
      .catch((error) => [500, { message: error.message }])
      .then(([status, value]) => {
        const body = Buffer.from(JSON.stringify(value));
        res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length });
        res.end(body);
      });
  });
  listen(server);
}

async function bodyOf(req) {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

void main();
