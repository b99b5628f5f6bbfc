/**
 * The base class of the library's own stores. The library documents it for stores of others, but its index does not
 * export it, and its types leave out the methods that a store implements. See docs/rate-limiter-flexible.md.
 */
declare module 'rate-limiter-flexible/lib/RateLimiterStoreAbstract.js' {
  import { RateLimiterStoreAbstract, type RateLimiterRes } from 'rate-limiter-flexible';

  export default abstract class<Raw, Res extends RateLimiterRes, Options> extends RateLimiterStoreAbstract {
    override consume(key: string, points: number, options: Options): Promise<Res>;
    override get(key: string, options: Options): Promise<Res | null>;
    protected abstract _upsert(
      key: string,
      points: number,
      msDuration: number,
      forceExpire: boolean,
      options: Options,
    ): Promise<Raw>;
    protected abstract _get(key: string, options: Options): Promise<Raw | null>;
    protected abstract _delete(key: string, options: Options): Promise<boolean>;
    protected abstract _getRateLimiterRes(key: string, changedPoints: number, result: Raw): Res;
    protected _handleError(...given: HandleError): void;
  }

  type Settle = (value: unknown) => void;
  export type HandleError = [
    error: unknown,
    method: string,
    resolve: Settle,
    reject: Settle,
    given: unknown[],
  ];
}
