import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * How many requests of one connection may wait behind the one under way. Node parses all that stand in one read, which
 * are up to 64 KiB: some hundred ordinary requests, or thousands of the shortest.
 */
const MAX_WAITING = 128;
/**
 * With this number of requests waiting, the connection is no longer read. It is below MAX_WAITING, because Node
 * notices that a client has gone only on a connection that is read.
 */
const READ_AHEAD = 16;

interface Connection {
  underWay: ServerResponse | undefined;
  /** In the order of arrival. */
  waiting: { req: IncomingMessage; res: ServerResponse }[];
  /** More than MAX_WAITING came: it ends after those that wait. */
  isEnding: boolean;
  /** The answer under way is whole, and the client has not taken all of it. */
  isUnread: boolean;
}

export interface Connections {
  /** Passes requests on, those of one connection one after the other; false: it is one too many, and left unanswered. */
  receive: (req: IncomingMessage, res: ServerResponse) => boolean;
  /** Whether a request of this connection is under way whose answer is not yet there. */
  isAtWork: (socket: Socket) => boolean;
}

/**
 * Bounds what one connection can make the process do and keep. A request is passed on when the answer before it is
 * written to the system's buffers, so that a client that does not read holds up itself alone: at most one answer of its
 * connection is in memory, and it cannot send more while it takes nothing.
 */
export function createConnections(answer: RequestListener): Connections {
  const connections = new WeakMap<Socket, Connection>();

  function connectionOf(socket: Socket): Connection {
    let connection = connections.get(socket);
    if (connection !== undefined) return connection;
    const fresh = (connection = { underWay: undefined, waiting: [], isEnding: false, isUnread: false });
    connections.set(socket, fresh);
    // Node resumes a connection in several places, as where a body is read.
    socket.on('resume', () => holdIfDue(socket, fresh));
    return connection;
  }

  function begin(connection: Connection, req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    connection.underWay = res;
    // The whole answer is handed to the connection.
    res.once('prefinish', () => {
      connection.isUnread = socket.writableLength > 0;
      holdIfDue(socket, connection);
    });
    // All of it is with the system.
    res.once('finish', () => {
      connection.underWay = undefined;
      connection.isUnread = false;
      const next = connection.waiting.shift();
      if (next !== undefined) begin(connection, next.req, next.res);
      if (!mustHold(connection)) socket.resume();
    });
    answer(req, res);
  }

  return {
    receive(req, res) {
      const connection = connectionOf(req.socket);
      const { underWay, waiting, isEnding } = connection;
      if (isEnding) return false;
      if (underWay === undefined) {
        begin(connection, req, res);
        return true;
      }
      const isTaken = waiting.length < MAX_WAITING;
      if (isTaken) waiting.push({ req, res });
      else {
        connection.isEnding = true;
        waiting.at(-1)?.res.setHeader('Connection', 'close');
      }
      // Once what has been read is parsed: Node goes on reading at the end of each request.
      if (mustHold(connection)) process.nextTick(holdIfDue, req.socket, connection);
      return isTaken;
    },
    isAtWork(socket) {
      const underWay = connections.get(socket)?.underWay;
      return underWay !== undefined && !underWay.writableEnded;
    },
  };
}

function mustHold({ waiting, isEnding, isUnread }: Connection): boolean {
  return isEnding || isUnread || waiting.length >= READ_AHEAD;
}

function holdIfDue(socket: Socket, connection: Connection): void {
  if (mustHold(connection)) socket.pause();
}
