import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freshDatabase } from '../support/database.js';
import { startGatewayProcess } from '../support/gateway-process.js';
import { goProgram } from '../support/go-program.js';
import { mustRun, runProgram } from '../support/run-program.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const ROOT = join(__dirname, '../..');
/** Installing with Go may take minutes on a machine that has nothing yet. */
const INSTALL_MS = 300_000;

/** What kube-score would have otherwise, and why not: see the comments in base/deployment.yaml. */
const OTHERWISE = [
  '--ignore-container-cpu-limit',
  // 1000 is the user of the image.
  '--ignore-test=container-security-context-user-group-id',
  // The image's tag is a version, whose bytes do not change.
  '--ignore-test=container-image-pull-policy',
  // Pods are spread by topologySpreadConstraints.
  '--ignore-test=deployment-has-host-podantiaffinity',
];

const folder = useTemporaryFolder();

test.each(['base', 'example'])(
  '%s: kustomize builds it, Kubernetes takes it, and kube-score finds nothing amiss',
  async (name) => {
    const kustomize = await goProgram('kustomize', 'sigs.k8s.io/kustomize/kustomize/v5', 'v5.7.1');
    const kubeScore = await goProgram('kube-score', 'github.com/zegl/kube-score/cmd/kube-score', 'v1.20.0');
    const file = join(folder(), `${name}.yaml`);
    await writeFile(file, await mustRun(kustomize, ['build', join(ROOT, 'deploy/kubernetes', name)]));
    await mustRun(join(ROOT, 'scripts/lint-deploy'), [file]);
    const version = '--kubernetes-version=v1.30';
    const score = ['score', '--exit-one-on-warning', version, ...OTHERWISE, file];
    expect(await runProgram(kubeScore, score)).toMatchObject({ code: 0 });
  },
  INSTALL_MS,
);

test.each(['1', '2'])(
  'readOnlyRootFilesystem: with MONGODB_URI a gateway with WORKERS=%s writes no file',
  async (workers) => {
    const database = freshDatabase();
    const gateway = await startGatewayProcess({
      MONGODB_URI: database.uri,
      WORKERS: workers,
      ADMIN_API_KEY: 'an-admin-key-for-the-test-of-files',
      // Node's own permissions: code that opens a file for writing gets an error, in workers too.
      NODE_OPTIONS: '--experimental-permission --allow-fs-read=* --allow-child-process',
    });
    try {
      const created = await fetch(`${gateway.url}/v1/pets`, {
        method: 'POST',
        headers: {
          authorization: 'Bearer an-admin-key-for-the-test-of-files',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ name: 'Pixel', categoryId: 2 }),
      });
      expect(created.status).toBe(201);
      expect(gateway.output()).not.toContain('ERR_ACCESS_DENIED');
      expect(await gateway.stop()).toBe(0);
    } finally {
      await gateway.stop();
      await database.drop();
    }
  },
);
