/**
 * Records a processor profile of a gateway from one SIGUSR2 to the next, and writes it to the file that PROFILE names.
 * For `node --require`.
 */
const { writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');

const INTERVAL_US = 250;

if (process.argv[2] === 'serve') {
  const session = new Session();
  session.connect();
  let isRecording = false;
  process.on('SIGUSR2', () => {
    isRecording = !isRecording;
    if (isRecording) {
      session.post('Profiler.enable');
      session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
      session.post('Profiler.start');
      return;
    }
    session.post('Profiler.stop', (error, { profile }) => {
      if (error !== null) throw error;
      writeFileSync(process.env.PROFILE, JSON.stringify(profile));
    });
  });
}
