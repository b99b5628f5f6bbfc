import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server, Http2ServerRequest } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createNetServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { ApolloServer } from '@apollo/server';
import express from 'express';
import { buildSchema, NoUnusedFragmentsRule, parse, validate } from 'graphql';
import { MongoBinaryDownload } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownload.js';
import { getOS } from 'mongodb-memory-server-core/lib/util/getos/index.js';
import mongoose, { mongo } from 'mongoose';
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import { extract, type Extract, type Header } from 'tar-stream';
import { sha256 } from '../../src/lib/sha256.js';
import { connectMongo } from '../../src/platform/mongo/connection.js';
import { tarOf, withHeader, withoutEnd } from '../features/publishing/deploys/archives.js';
import { freshDatabase } from '../support/database.js';
import { runProgram } from '../support/run-program.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

/** A part of a library or of Node that its documentation does not promise, and that the gateway relies on. */
interface PrivatePart {
  library: string;
  part: string;
  usedIn: string;
  /** A word of `usedIn` that shows the use, so that this list cannot go stale. */
  word: string;
  whenItBreaks: string;
  holds: () => Promise<void> | void;
}

const folder = useTemporaryFolder();

const PARTS: readonly PrivatePart[] = [
  {
    library: 'tar-stream',
    part: 'a reader passes each extra header to _decodeLongHeader, with its type in _header, which ends as null',
    usedIn: 'src/features/publishing/deploys/read-tar.ts',
    word: '_decodeLongHeader',
    whenItBreaks:
      'Long global headers can hold the process up, and incomplete archives are taken for whole ones. Find where the reader decodes pax headers now.',
    async holds() {
      const record = '13 comment=x\n';
      const global = withHeader(withoutEnd(await tarOf(['global', record])), 156, 'g');
      const tar = Buffer.concat([global, await tarOf({ name: 'a', pax: { comment: 'y' }, content: 'text' })]);
      const whole = await readTar(tar);
      expect(whole.extraHeaders).toEqual([
        ['pax-global-header', record],
        ['pax-header', expect.stringContaining('13 comment=y\n') as string],
      ]);
      expect(whole.lastHeader).toBeNull();
      expect((await readTar(withoutEnd(tar))).lastHeader).not.toBeNull();
    },
  },
  {
    library: 'tar-stream',
    part: 'an entry has `pax` and `byteOffset` in its header, and `allowUnknownFormat` reads tars of v7',
    usedIn: 'src/features/publishing/deploys/read-tar.ts',
    word: 'byteOffset',
    whenItBreaks:
      'Sparse files, GNU types or archives of v7 are read wrongly. Find the fields in lib/extract.js.',
    async holds() {
      const tar = await tarOf({ name: 'a', pax: { comment: 'y' }, content: 'text' });
      const [header] = (await readTar(tar)).headers;
      expect(header?.pax).toMatchObject({ comment: 'y' });
      expect(tar.subarray(header?.byteOffset).toString('utf8', 0, 4)).toBe('text');
      const v7 = withHeader(await tarOf(['a', 'text']), 257, '\0'.repeat(8));
      expect((await readTar(v7)).headers).toMatchObject([{ name: 'a', size: 4 }]);
    },
  },
  {
    library: 'mongodb-memory-server-core',
    part: 'a download calls download, httpDownload, then makeMD5check, and all can be overridden',
    usedIn: 'src/platform/mongod/mongod-download.ts',
    word: 'makeMD5check',
    whenItBreaks:
      'The checksum of mongod or the certificate of its host may go unchecked. Find the steps in lib/util/MongoBinaryDownload.js, or download the archive without the library.',
    async holds() {
      const calls: string[] = [];
      class Recorded extends MongoBinaryDownload {
        override download(url: string) {
          calls.push('download');
          return super.download(url);
        }
        override httpDownload(_url: URL, _options: object, location: string) {
          calls.push('httpDownload');
          return Promise.resolve(location);
        }
        override makeMD5check(url: string, archive: string) {
          calls.push(`makeMD5check ${url.endsWith('.tgz.md5')} ${archive.endsWith('.tgz')}`);
          return Promise.resolve(true);
        }
      }
      await new Recorded(ON_UBUNTU()).startDownload();
      expect(calls).toEqual(['download', 'httpDownload', 'makeMD5check true true']);
    },
  },
  {
    library: 'mongodb-memory-server-core',
    part: 'httpDownload takes the attempts, the delay and the silence limit; progress is counted in dlProgress',
    usedIn: 'src/platform/mongod/mongod-download.ts',
    word: 'SILENCE_TIMEOUT_MS',
    whenItBreaks:
      'A host that is silent holds the first start up for minutes, or the progress is not shown. Find the parameters in lib/util/MongoBinaryDownload.js.',
    async holds() {
      const download = new MongoBinaryDownload(ON_UBUNTU());
      let attempts = 0;
      const silent = createNetServer((socket) => {
        attempts += 1;
        socket.resume();
      });
      await listening(silent, async (origin) => {
        const url = new URL(origin.replace('http:', 'https:'));
        const [archive, part] = [join(folder(), 'archive'), join(folder(), 'part')];
        await expect(download.httpDownload(url, {}, archive, part, 1, 0, 100)).rejects.toThrow(/100 ?ms/);
      });
      expect(attempts).toBe(1);
      expect(download.dlProgress).toMatchObject({ current: 0, length: 0 });
      expect(download.printDownloadProgress.length).toBeGreaterThan(0);
      expect(await getOS()).toMatchObject({ os: process.platform });
    },
  },
  {
    library: 'Mongoose',
    part: 'transactionAsyncLocalStorage holds the session of a transaction, and can be disabled',
    usedIn: 'src/platform/mongo/connection.ts',
    word: 'transactionAsyncLocalStorage',
    whenItBreaks:
      'Transactions work, but Node before 24 follows every promise afterwards: each request takes an eighth more processor time. Find the storage in lib/mongoose.js.',
    async holds() {
      const { transactionAsyncLocalStorage: storage } = mongoose as unknown as {
        transactionAsyncLocalStorage: AsyncLocalStorage<{ session?: unknown }>;
      };
      expect(storage).toBeInstanceOf(AsyncLocalStorage);
      const database = freshDatabase();
      const connection = await connectMongo({
        uri: database.uri,
        defaultDatabase: '',
        databaseSuffix: '',
        selectionTimeoutMs: 60_000,
      });
      const sessions: unknown[] = [];
      await connection.transaction(() => Promise.resolve(sessions.push(storage.getStore()?.session)));
      storage.disable();
      await connection.close();
      await database.drop();
      expect(sessions).toEqual([expect.anything()]);
    },
  },
  {
    library: 'bson',
    part: 'a Binary has _bsontype',
    usedIn: 'src/platform/mongo/plain-values.ts',
    word: '_bsontype',
    whenItBreaks:
      'Stored bytes, as of certificates, are read as objects. Find how the driver marks its types.',
    holds: () => expect(new mongo.Binary(Buffer.from('a'))).toMatchObject({ _bsontype: 'Binary' }),
  },
  {
    library: 'Node',
    part: 'the listeners for secureConnection of an HTTPS server answer HTTP/1.1 on a connection',
    usedIn: 'src/http/server/tls-server.ts',
    word: "listeners('secureConnection')",
    whenItBreaks: 'With HTTP/2 on, HTTP/1.1 over TLS gets no answer. Find the listener in lib/https.js.',
    async holds() {
      const server = createHttpsServer({}, (_req, res) => res.end('answered'));
      const acceptors = server.listeners('secureConnection') as ((socket: Socket) => void)[];
      const plain = createNetServer((socket) => {
        for (const accept of acceptors) accept.call(server, socket);
      });
      await listening(plain, async (origin) => expect(await (await fetch(origin)).text()).toBe('answered'));
      server.close();
    },
  },
  {
    library: 'Node',
    part: 'SNICallback is called as a method of the connection',
    usedIn: 'src/http/server/tls-server.ts',
    word: 'SNICallback(this: TLSSocket',
    whenItBreaks:
      'Limits by client for the certificates of unknown names no longer know the client. Find the call in lib/internal/tls/wrap.js.',
    async holds() {
      const peers: unknown[] = [];
      const server = createHttpsServer({
        SNICallback(this: TLSSocket, name, done) {
          peers.push([name, this.remoteAddress]);
          done(null);
        },
      });
      await listening(server, async (origin) => {
        const socket = connectTls({
          port: Number(new URL(origin).port),
          host: '127.0.0.1',
          servername: 'a.test',
        });
        socket.on('error', () => undefined);
        await new Promise((resolve) => socket.once('close', resolve));
      });
      expect(peers).toEqual([['a.test', '127.0.0.1']]);
    },
  },
  {
    library: 'Node',
    part: 'process.stderr._handle can become non-blocking',
    usedIn: 'src/lib/log-stream.ts',
    word: '_handle: handle',
    whenItBreaks:
      'A reader of the log that stops reading stops the gateway where standard error is a socket. Find the handle in lib/net.js.',
    async holds() {
      const program = 'console.error(typeof process.stderr._handle.setBlocking)';
      expect((await runProgram(process.execPath, ['-e', program])).output.trim()).toBe('function');
    },
  },
  {
    library: 'Node',
    part: 'destroySoon of the connection is called after its last response',
    usedIn: 'src/http/server/staged-close.ts',
    word: 'destroySoon',
    whenItBreaks:
      'Clients that still send lose the response that ends their connection. Find what ends it in lib/_http_server.js.',
    async holds() {
      const closed: string[] = [];
      const server = createHttpServer(({ socket, url = '' }: IncomingMessage, res) => {
        socket.destroySoon = () => {
          closed.push(url);
          socket.destroy();
        };
        res.setHeader('connection', 'close').end('answered');
      });
      await listening(server, async (origin) => {
        await (await fetch(`${origin}/last`)).text();
      });
      expect(closed).toEqual(['/last']);
    },
  },
  {
    library: 'Node',
    part: 'an Http2ServerRequest can be made for a stream, and gets its body through push',
    usedIn: 'src/http/server/http2/messages.ts',
    word: 'override push(',
    whenItBreaks:
      'Requests over HTTP/2 never have a complete body. Find how lib/internal/http2/compat.js reads a stream.',
    async holds() {
      const pushed: (string | null)[] = [];
      class Recorded extends Http2ServerRequest {
        override push(chunk: Buffer | null): boolean {
          pushed.push(chunk === null ? null : chunk.toString());
          return super.push(chunk);
        }
      }
      const server = createHttp2Server();
      server.removeAllListeners('request');
      server.on('stream', (stream, headers) => {
        const req = new Recorded(stream, headers, {}, []);
        req.resume().once('end', () => {
          stream.respond({ ':status': 204 });
          stream.end();
        });
      });
      await listening(server, async (origin) => {
        const session = connectHttp2(origin);
        const stream = session.request({ ':method': 'POST' });
        stream.end('body');
        stream.resume();
        await once(stream, 'close');
        session.close();
      });
      expect(pushed.slice(0, 2)).toEqual(['body', null]);
    },
  },
  {
    library: 'Express',
    part: 'the setting `trust proxy fn` is the function made of `trust proxy`',
    usedIn: 'src/app/app.ts',
    word: "'trust proxy fn'",
    whenItBreaks:
      'The addresses of clients behind a proxy are wrong, and limits by client with them. Find it in lib/application.js, or compile TRUST_PROXY with proxy-addr.',
    holds() {
      const app = express().set('trust proxy', ['10.0.0.0/8']);
      const trusts = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
      expect(['10.1.2.3', '192.0.2.1'].map((address) => trusts(address, 0))).toEqual([true, false]);
    },
  },
  {
    library: 'Apollo Server',
    part: 'the key of a document in `documentStore` ends with the SHA-256 of its source',
    usedIn: 'src/interfaces/graphql/document-cache.ts',
    word: 'SHA256_DIGITS',
    whenItBreaks: 'Every document is parsed twice. Find the key in requestPipeline.js.',
    async holds() {
      const keys: string[] = [];
      const apollo = new ApolloServer({
        schema: buildSchema('type Query { a: Int }'),
        stopOnTerminationSignals: false,
        documentStore: {
          get: (key) => Promise.resolve(void keys.push(key)),
          set: () => Promise.resolve(),
          delete: () => Promise.resolve(false),
        },
      });
      await apollo.executeOperation({ query: '{ a }' });
      await apollo.stop();
      expect(keys.map((key) => key.endsWith(sha256('{ a }')))).toEqual([true]);
    },
  },
  {
    library: 'graphql-js',
    part: 'validation that costs too much ends with the message `Validation aborted.`',
    usedIn: 'src/interfaces/graphql/document-cache.ts',
    word: "'Validation aborted.'",
    whenItBreaks:
      'A document that is too costly to validate gets a message without a remedy. Find the new message in validation/.',
    holds() {
      const source = `{ ...f } fragment f on Query { ${'...g '.repeat(60_000)} } fragment g on Query { a }`;
      const errors = validate(buildSchema('type Query { a: Int }'), parse(source), [NoUnusedFragmentsRule]);
      expect(errors.map(({ message }) => message)).toEqual(['Validation aborted.']);
    },
  },
  {
    library: 'prom-client',
    part: 'the type of a metric in JSON is a word, and a sum can be summed again',
    usedIn: 'src/server/worker-reports.ts',
    word: 'as unknown as ReportedMetrics',
    whenItBreaks:
      'The metrics of workers that ended are lost or counted twice. Find what AggregatorRegistry.aggregate takes and returns.',
    async holds() {
      const registry = new Registry();
      new Counter({ name: 'count', help: 'h', registers: [registry] }).inc(2);
      new Gauge({ name: 'state', help: 'h', registers: [registry] }).set(1);
      const report = await registry.getMetricsAsJSON();
      expect(report.map(({ type }) => type as unknown)).toEqual(['counter', 'gauge']);
      const sum = AggregatorRegistry.aggregate([
        report,
        report,
      ]).getMetricsAsArray() as unknown as typeof report;
      const twice = AggregatorRegistry.aggregate([sum, report]);
      expect(await twice.getSingleMetricAsString('count')).toContain('\ncount 6');
    },
  },
];

test.each(PARTS)('$library: $part', async ({ usedIn, word, whenItBreaks, holds }) => {
  expect(await readFile(usedIn, 'utf8')).toContain(word);
  try {
    await holds();
  } catch (error) {
    throw new Error(`${usedIn} relies on this. ${whenItBreaks}`, { cause: error });
  }
});

/** Runs `use` while the server listens on a port of its own, and then cuts its connections. */
async function listening(server: Server, use: (origin: string) => Promise<void>): Promise<void> {
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
}

const ON_UBUNTU = () => ({
  version: '8.0.17',
  downloadDir: folder(),
  os: { os: 'linux' as const, dist: 'ubuntu', release: '22.04' },
});

type Reader = Extract & { _header: { type: string } | null; _decodeLongHeader: (content: Buffer) => void };
type EntryHeader = Header & { byteOffset?: number };

/** What the private parts of a reader say of a tar. */
async function readTar(tar: Buffer) {
  const options: object = { allowUnknownFormat: true };
  const reader = extract(options) as Reader;
  const extraHeaders: [type: string | undefined, content: string][] = [];
  const decode = reader._decodeLongHeader.bind(reader);
  reader._decodeLongHeader = (content) => {
    extraHeaders.push([reader._header?.type, content.toString()]);
    decode(content);
  };
  const headers: EntryHeader[] = [];
  reader.end(tar);
  for await (const entry of reader) {
    headers.push(entry.header);
    entry.resume();
  }
  return { extraHeaders, headers, lastHeader: reader._header };
}
