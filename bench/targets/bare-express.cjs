/** Express 5 and the driver, as its own documentation would write it. Argument: MongoDB's URI. */
const express = require('express');
const { createServer } = require('node:http');
const { openPets } = require('./bare-pets.cjs');
const { listen } = require('./listen.cjs');

async function main() {
  const pets = await openPets(process.argv[2]);
  const app = express();
  app.get('/v1/pets', async (req, res) => {
    res.json(await pets.list(req.query.status ?? null, Number(req.query.limit)));
  });
  app.get('/v1/pets/:petId', async (req, res) => {
    res.json(await pets.get(Number(req.params.petId)));
  });
  app.post('/v1/pets', express.json(), async (req, res) => {
    res.status(201).json(await pets.create(req.body));
  });
  app.patch('/v1/pets/:petId', express.json(), async (req, res) => {
    res.json(await pets.update(Number(req.params.petId), req.body));
  });
  listen(createServer(app));
}

void main();
