/** Returns the media type by the name of the file, and by its first character if the name says nothing. */
export async function mediaTypeOf(file: File): Promise<string> {
  const [, extension = ''] = /\.(\w+)$/.exec(file.name.toLowerCase()) ?? [];
  if (['csv', 'tsv', 'txt'].includes(extension)) return 'text/csv';
  if (['ndjson', 'jsonl'].includes(extension)) return 'application/x-ndjson';
  const start = await file.slice(0, 64).text();
  return start.trimStart().startsWith('{') ? 'application/x-ndjson' : 'text/csv';
}
