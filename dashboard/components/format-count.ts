const format = new Intl.NumberFormat('en-GB');

/** As people read it: "12,345". */
export const formatCount = (value: number): string => format.format(value);
