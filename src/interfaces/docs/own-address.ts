import type { RequestHandler } from 'express';
import { serve, setFileHeaders, type ServedFile } from '../../http/answers/served-file.js';
import { requestContextOf } from '../../http/steps/request-context.js';
import { SAMPLE_GATEWAY } from './schema-files.js';

/** SAMPLE_GATEWAY where a path of its own follows. Settings and health checks name the machine itself. */
const EXAMPLE = /http:\/\/127\.0\.0\.1:3000(?=\/(?:v1|graphql|docs|dashboard|deploys|imports)\b)/g;
/** These characters mean nothing in HTML, in a string of a script, or in a shell between quotes. */
const HARMLESS = /^https?:\/\/[a-z0-9._:[\]-]+$/;

/**
 * As `serve`, and the examples call the gateway that serves the page. An address that comes from the request's Host is
 * put in for that client only: no shared cache keeps the response, and it is not compressed, because clients could ask
 * with any number of ports.
 */
export function serveWithOwnAddress(file: ServedFile): RequestHandler {
  const asWritten = serve(file);
  let kept: Promise<string> | undefined;
  const readText = () => (kept ??= read());
  let known: RequestHandler | undefined;

  async function read(): Promise<string> {
    try {
      return String(await file.read());
    } catch (error) {
      // As in `serve`: the next request tries again.
      kept = undefined;
      throw error;
    }
  }

  return async (req, res, next) => {
    const { gatewayUrl, publicUrl } = requestContextOf(res);
    if (gatewayUrl === undefined || gatewayUrl === SAMPLE_GATEWAY || !HARMLESS.test(gatewayUrl)) {
      await asWritten(req, res, next);
      return;
    }
    if (publicUrl !== undefined) {
      known ??= serve({ ...file, read: async () => (await readText()).replace(EXAMPLE, publicUrl) });
      await known(req, res, next);
      return;
    }
    const text = await readText();
    if (!text.includes(SAMPLE_GATEWAY)) {
      await asWritten(req, res, next);
      return;
    }
    setFileHeaders(res, file, 'private');
    // Bytes: Express adds a charset to the type of a text.
    res.send(Buffer.from(text.replace(EXAMPLE, gatewayUrl)));
  };
}
