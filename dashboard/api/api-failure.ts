interface FieldFault {
  field: string;
  message: string;
}

/** An error of the API with the API's message, or a missing response (`status` 0). */
export class ApiFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status: number,
    readonly details: Record<string, unknown> = {},
    /** The response's Retry-After, whole seconds; undefined if there was none. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
    this.name = 'ApiFailure';
  }

  /** Returns the message about one field, or undefined if the error does not name the field. */
  at(field: string): string | undefined {
    return this.faults().find((fault) => nameOf(fault) === field)?.message;
  }

  /** The names of the fields that the error is about. */
  get fields(): string[] {
    return this.faults().map(nameOf);
  }

  private faults(): FieldFault[] {
    const { fields, field } = this.details;
    if (Array.isArray(fields)) return fields as FieldFault[];
    return typeof field === 'string' ? [{ field, message: this.message }] : [];
  }
}

/** `input.name` is the field `name` of a form. */
function nameOf({ field }: FieldFault): string {
  return field.slice(field.lastIndexOf('.') + 1);
}

/** The user signed in again in another tab: the cookie belongs to another session than the page's CSRF token. */
export function isOfOtherSession({ status, details }: ApiFailure): boolean {
  return status === 403 && details['header'] === 'X-CSRF-Token';
}

const SESSION_CHANGED = 'session_changed';

export const sessionChanged = () =>
  new ApiFailure(
    SESSION_CHANGED,
    'You signed in again in another tab, so this change was not saved. Try again.',
    403,
  );

export const isSessionChanged = (error: unknown) =>
  error instanceof ApiFailure && error.code === SESSION_CHANGED;

export const noAnswer = () =>
  new ApiFailure('no_answer', 'The gateway did not respond. Check your connection and try again.', 0);
