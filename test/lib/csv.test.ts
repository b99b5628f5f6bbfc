import fc from 'fast-check';
import { csvLine } from '../../src/lib/csv.js';

test.each([
  [['plain', '', null, undefined], 'plain,,,\r\n'],
  [['a,b', 'say "no"', 'two\nlines'], '"a,b","say ""no""","two\nlines"\r\n'],
  [['=1+1', '+1', '-1', '@SUM(A1)'], "'=1+1,'+1,'-1,'@SUM(A1)\r\n"],
  [['\t=1', '\r=1', ' =1'], `'\t=1,"'\r=1",' =1\r\n`],
  [['=HYPERLINK("http://x.example","y")'], `"'=HYPERLINK(""http://x.example"",""y"")"\r\n`],
  [['＝1', 'a=b', '2026-11-25T07:00:00.000Z'], "'＝1,a=b,2026-11-25T07:00:00.000Z\r\n"],
])('%j', (cells, line) => {
  expect(csvLine(cells)).toBe(line);
});

test('a reader of CSV gets each text back, and none begins a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 5 }), (cells) => {
      const read = parse(csvLine(cells));
      expect(read.map((cell) => cell.replace(/^'/, ''))).toEqual(cells.map((cell) => cell.replace(/^'/, '')));
      for (const cell of read) expect(cell).not.toMatch(/^\s*[=+\-@]/);
    }),
  );
});

/** The cells of one line, as RFC 4180 says. */
function parse(line: string): string[] {
  const cells = [...`,${line.slice(0, -2)}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,"]*))/gs)];
  return cells.map(([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '');
}
