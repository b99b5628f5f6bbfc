const format = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 3 });

/** Returns a size for people: "12 bytes", "34.5 KB" or "1.2 MB". */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${format.format(kilobytes)} KB` : `${format.format(kilobytes / 1024)} MB`;
}
