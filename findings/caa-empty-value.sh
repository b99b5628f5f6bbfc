#!/bin/sh
# Node's DNS resolver (c-ares) rejects a whole CAA set if one record has an empty value, such as `issuewild ""`. RFC 8659
# section 4.1 allows an empty value: the length of the value is what remains of the record. Certificate authorities read
# such a set, so a check of CAA records with `dns.resolveCaa` fails where the authority issues.
#
# Starts a DNS server on 127.0.0.1 that answers with CAA records encoded by dns-packet, and asks it with Node.
# Exits with 0 as long as the behaviour is the one below:
#
#   issue "ca.example", issuewild ";"    2 records
#   issue "ca.example", issuewild ""     EBADRESP
#   issue "ca.example", iodef ""         EBADRESP
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --save-exact dns-packet@5.6.1

cat > ask.js <<'JS'
const { createSocket } = require('node:dgram');
const { Resolver } = require('node:dns').promises;
const packet = require('dns-packet');

const SETS = {
  'full.example': { records: [['issue', 'ca.example'], ['issuewild', ';']], expected: '2 records' },
  'issuewild.example': { records: [['issue', 'ca.example'], ['issuewild', '']], expected: 'EBADRESP' },
  'iodef.example': { records: [['issue', 'ca.example'], ['iodef', '']], expected: 'EBADRESP' },
};

const server = createSocket('udp4');
server.on('message', (message, from) => {
  const { id, questions } = packet.decode(message);
  const [{ name }] = questions;
  const answers = SETS[name].records.map(([tag, value]) => ({
    name,
    type: 'CAA',
    class: 'IN',
    ttl: 60,
    data: { flags: 0, tag, value },
  }));
  const flags = packet.AUTHORITATIVE_ANSWER | packet.RECURSION_AVAILABLE;
  const answer = packet.encode({ type: 'response', id, flags, questions, answers });
  // The sets are valid: another reader gets every record, with its empty value.
  const read = packet.decode(answer).answers.map(({ data }) => [data.tag, data.value]);
  if (JSON.stringify(read) !== JSON.stringify(SETS[name].records)) throw new Error('the answer is not as meant');
  server.send(answer, from.port, from.address);
});

server.bind(0, '127.0.0.1', async () => {
  console.log(`Node ${process.versions.node}, c-ares ${process.versions.ares}, dns-packet 5.6.1`);
  const resolver = new Resolver({ timeout: 5000, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.address().port}`]);
  let isSame = true;
  for (const [name, { records, expected }] of Object.entries(SETS)) {
    const seen = await resolver.resolveCaa(name).then(
      (answer) => `${answer.length} records`,
      (error) => error.code,
    );
    console.log(`${records.map(([tag, value]) => `${tag} "${value}"`).join(', ')}: ${seen}`);
    isSame &&= seen === expected;
  }
  server.close();
  if (!isSame) {
    console.log('The behaviour has changed.');
    process.exitCode = 1;
  }
});
JS
node ask.js
