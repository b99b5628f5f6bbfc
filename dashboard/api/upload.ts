import { noAnswer, type ApiFailure } from './api-failure.js';
import { failureOf } from './send.js';

export interface Upload {
  method: string;
  url: string;
  headers: readonly { name: string; value: string }[];
}

export interface Uploading {
  csrfToken: string;
  /** From 0 to 1. */
  onProgress: (share: number) => void;
}

/**
 * Uploads a file to the URL from the API. Does not use fetch, which reports no upload progress.
 * @returns the JSON of the response
 * @throws ApiFailure
 */
export function upload({ method, url, headers }: Upload, file: Blob, uploading: Uploading): Promise<unknown> {
  const { csrfToken, onProgress } = uploading;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const { name, value } of headers) request.setRequestHeader(name, value);
    request.setRequestHeader('X-CSRF-Token', csrfToken);
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total));
    request.addEventListener('error', () => reject(noAnswer()));
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) resolve(JSON.parse(request.responseText));
      else reject(failureFrom(request));
    });
    request.send(file);
  });
}

function failureFrom(request: XMLHttpRequest): ApiFailure {
  try {
    const seconds = Number(request.getResponseHeader('retry-after') ?? Number.NaN);
    return failureOf({
      isOk: false,
      status: request.status,
      body: JSON.parse(request.responseText),
      retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
    });
  } catch {
    return noAnswer();
  }
}
