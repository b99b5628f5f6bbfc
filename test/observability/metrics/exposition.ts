/** A line of the text format of Prometheus that is a sample. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Reads the text format of Prometheus, version 0.0.4. @throws Error for a line that is none of it */
export function samplesOf(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] =
        // eslint-disable-next-line security/detect-unsafe-regex -- a line of our own metrics
        /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === '') throw new Error(`no sample: ${line}`);
      const pairs = Array.from(labels.matchAll(/(\w+)="([^"]*)"/g), ([, label = '', of = '']) => [label, of]);
      return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
    });
}

/** The value of the only sample with these labels and no others of these names; undefined where there is none. */
export function valueOf(text: string, name: string, labels: Record<string, string> = {}): number | undefined {
  const found = samplesOf(text).filter(
    (sample) =>
      sample.name === `pets_gateway_${name}` &&
      Object.entries(labels).every(([label, of]) => sample.labels[label] === of),
  );
  if (found.length > 1) throw new Error(`${name} has ${found.length} such samples`);
  return found[0]?.value;
}
