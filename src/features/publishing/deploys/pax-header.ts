import { SiteRefused } from './collect-site.js';

const SPACE = 0x20;
const NEWLINE = 0x0a;
/** The longest keyword that matters here is shorter. */
const MAX_KEYWORD_BYTES = 64;
/** POSIX.1-2024 "pax", hdrcharset. With BINARY, a name that is not UTF-8 is found when it is decoded. */
const UTF8 = ['ISO-IR 10646 2000 UTF-8', 'BINARY'];

/**
 * Refuses a pax header that changes what an entry or the archive means, in a way that the reader would not notice. Other
 * keywords are for programs that restore files: times, owners, attributes.
 * @throws SiteRefused
 */
export function assertPlainPax(content: Buffer, isGlobal: boolean): void {
  for (const { keyword, value } of recordsOf(content)) {
    const fault = faultOf(keyword, value, isGlobal);
    if (fault !== undefined) throw new SiteRefused(fault);
  }
}

function faultOf(keyword: string, value: () => string, isGlobal: boolean): string | undefined {
  if (keyword === 'GNU.dumpdir')
    return 'The archive is incremental, so it can lack files. Pack it without --listed-incremental (-g).';
  if (keyword.startsWith('GNU.volume.') && keyword !== 'GNU.volume.label')
    return 'The archive is one volume of several. Pack it without --multi-volume (-M).';
  // star writes it for a file whose holes are left out.
  if (keyword === 'SCHILY.realsize')
    return 'The archive has a file that is stored with its holes left out. Pack it without -sparse.';
  if (keyword === 'hdrcharset' && !UTF8.includes(value()))
    return `The archive has names in the character set ${JSON.stringify(value().slice(0, 100))}. Pack it with names in UTF-8.`;
  if (isGlobal && (['path', 'linkpath', 'size'].includes(keyword) || keyword.startsWith('GNU.sparse.')))
    return `The archive has a global pax header with ${keyword}, which would apply to all its files.`;
  return undefined;
}

/**
 * The records of a header: `<length> <keyword>=<value>\n`, where the length counts all of the record.
 * @throws SiteRefused if a record is malformed: tar-stream would ignore it and what follows
 */
function* recordsOf(content: Buffer): Generator<{ keyword: string; value: () => string }> {
  for (let at = 0; at < content.length;) {
    const space = content.subarray(at, at + 8).indexOf(SPACE);
    const length = space === -1 ? NaN : Number(content.toString('latin1', at, at + space));
    const end = at + length;
    const begin = at + space + 1;
    const equals = content.subarray(begin, begin + MAX_KEYWORD_BYTES).indexOf('=');
    if (!Number.isInteger(length) || length <= space || content[end - 1] !== NEWLINE)
      throw new SiteRefused('The archive has a malformed pax header.');
    if (equals !== -1)
      yield {
        keyword: content.toString('latin1', begin, begin + equals),
        value: () => content.toString('utf8', begin + equals + 1, end - 1),
      };
    at = end;
  }
}
