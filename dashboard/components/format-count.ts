const format = new Intl.NumberFormat('en-GB');

/** Formats a number for people: "12,345". */
export const formatCount = (value: number): string => format.format(value);
