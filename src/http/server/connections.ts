import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * How many requests of one connection may wait behind the request under way. Node parses all requests in one read of up
 * to 64 KiB: some hundred ordinary requests, or thousands of the shortest.
 */
const MAX_WAITING = 128;
/**
 * When this many requests wait, the gateway stops reading the connection. The number is below MAX_WAITING, because Node
 * notices that a client has gone only on a connection that it reads.
 */
const READ_AHEAD = 16;

interface Connection {
  underWay: ServerResponse | undefined;
  /** In order of arrival. */
  waiting: { req: IncomingMessage; res: ServerResponse }[];
  /** More than MAX_WAITING requests came: the connection closes after those that wait. */
  isEnding: boolean;
  /** The last response was sent: the rest of what comes is read and discarded. */
  isEnded: boolean;
  /** The current response is complete, but the client has not read all of it. */
  isUnread: boolean;
}

export interface Connections {
  /**
   * Passes requests on, those of one connection one after the other. Returns false if too many wait; the request then
   * gets no response.
   */
  receive: (req: IncomingMessage, res: ServerResponse) => boolean;
  /** Call after the last response of a connection. Further requests get no response. */
  end: (socket: Socket) => void;
  /** Whether a request of this connection is under way whose response is not complete. */
  isAtWork: (socket: Socket) => boolean;
}

/**
 * Bounds the work and the memory of one connection. A request is passed on when the response before it is written to
 * the system's buffers. A client that does not read therefore delays only itself: memory holds at most one response per
 * connection, and the client cannot send more while it reads nothing.
 */
export function createConnections(answer: RequestListener): Connections {
  const connections = new WeakMap<Socket, Connection>();

  function connectionOf(socket: Socket): Connection {
    let connection = connections.get(socket);
    if (connection !== undefined) return connection;
    const fresh: Connection = {
      underWay: undefined,
      waiting: [],
      isEnding: false,
      isEnded: false,
      isUnread: false,
    };
    connection = fresh;
    connections.set(socket, fresh);
    // Node resumes a connection in several places, for example when it reads a body.
    socket.on('resume', () => holdIfDue(socket, fresh));
    return connection;
  }

  function begin(connection: Connection, req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    connection.underWay = res;
    // The whole response is handed to the connection.
    res.once('prefinish', () => {
      connection.isUnread = socket.writableLength > 0;
      holdIfDue(socket, connection);
    });
    // The whole response is handed to the operating system.
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
      const { underWay, waiting, isEnding, isEnded } = connection;
      if (isEnding || isEnded) return false;
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
      // On the next tick, when the bytes already read are parsed: Node resumes reading at the end of each request.
      if (mustHold(connection)) process.nextTick(holdIfDue, req.socket, connection);
      return isTaken;
    },
    end(socket) {
      const connection = connections.get(socket);
      if (connection !== undefined) Object.assign(connection, { isEnded: true, waiting: [] });
    },
    isAtWork(socket) {
      const underWay = connections.get(socket)?.underWay;
      return underWay !== undefined && !underWay.writableEnded;
    },
  };
}

function mustHold({ waiting, isEnding, isEnded, isUnread }: Connection): boolean {
  if (isEnded) return false;
  return isEnding || isUnread || waiting.length >= READ_AHEAD;
}

function holdIfDue(socket: Socket, connection: Connection): void {
  if (mustHold(connection)) socket.pause();
}
