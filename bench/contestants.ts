import type { KeyUse } from './targets/gateway-keys.js';
import type { TargetName } from './targets/targets.js';
import type { WorkloadName } from './workloads.js';

/** Who takes part in a comparison: a target, and whose keys it is asked with. */
export interface Contestant {
  target: TargetName;
  keys: KeyUse;
  /** What it is asked for in place of the workload of the comparison. */
  asked?: WorkloadName;
}

export const bareEmpty: Contestant = { target: 'bare-empty', keys: 'none' };
export const bareHttp: Contestant = { target: 'bare-http', keys: 'none' };
export const bareExpress: Contestant = { target: 'bare-express', keys: 'none' };
export const bareApollo: Contestant = { target: 'bare-apollo', keys: 'none' };
export const mercuriusJit: Contestant = { target: 'mercurius-jit', keys: 'none' };
export const yoga: Contestant = { target: 'yoga', keys: 'none' };
export const parseServer: Contestant = { target: 'parse-server', keys: 'none' };
export const gateway = (keys: KeyUse): Contestant => ({ target: 'gateway', keys });
/** Beside the lists of one's own pets. */
export const listByStatus: Contestant = { ...gateway('one'), asked: 'list' };
export const redis = (keys: KeyUse): Contestant => ({ target: 'gateway-redis', keys });
export const earlier = (keys: KeyUse): Contestant => ({ target: 'earlier', keys });
export const earlierRedis = (keys: KeyUse): Contestant => ({ target: 'earlier-redis', keys });
export const earlierLogged = (keys: KeyUse): Contestant => ({ target: 'earlier-logged', keys });
export const earlierRedisLogged = (keys: KeyUse): Contestant => ({ target: 'earlier-redis-logged', keys });
export const workers: Contestant = { target: 'gateway-workers', keys: 'one' };
export const logged = (keys: KeyUse): Contestant => ({ target: 'gateway-logged', keys });
export const redisLogged = (keys: KeyUse): Contestant => ({ target: 'gateway-redis-logged', keys });
export const traced: Contestant = { target: 'gateway-traced', keys: 'one' };
export const sampled: Contestant = { target: 'gateway-sampled', keys: 'one' };
export const unmetered: Contestant = { target: 'gateway-unmetered', keys: 'one' };
export const open: Contestant = { target: 'gateway-open', keys: 'none' };

/** As the settings are by default, with counters in MongoDB and in Redis. */
export const byDefault: readonly Contestant[] = [logged('one'), redisLogged('one')];
