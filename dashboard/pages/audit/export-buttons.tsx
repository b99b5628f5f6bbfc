import { useEffect, useRef, useState } from 'preact/hooks';
import type { ExportFormat } from '../../../src/features/audit/audit-export.js';
import { ApiFailure, noAnswer } from '../../api/api-failure.js';
import { isAbort } from '../../api/send.js';
import { useGraphql } from '../../api/session-context.js';
import { useAnnounce } from '../../components/announcer.js';
import { Button } from '../../components/button.js';
import type { AuditLogVariables } from './audit-documents.js';
import { exportAudit, MOST_EXPORTED } from './export-audit.js';

/** Saves the records that match the filters as a file. An export ends with its page. */
export function ExportButtons({ variables }: { variables: AuditLogVariables }) {
  const run = useGraphql();
  const announce = useAnnounce();
  const [running, setRunning] = useState<ExportFormat>();
  const latest = useRef<AbortController>(null);
  useEffect(() => () => latest.current?.abort(), []);

  async function start(format: ExportFormat) {
    setRunning(format);
    const { signal } = (latest.current = new AbortController());
    try {
      const { count, hasMore } = await exportAudit(run, variables, { format, signal });
      announce(
        hasMore
          ? `Exported the newest ${MOST_EXPORTED} records. For more, narrow the filters or use the command line.`
          : `Exported ${count} ${count === 1 ? 'record' : 'records'}.`,
      );
    } catch (error) {
      if (isAbort(error)) announce('The export stopped because you left the audit log. No file was saved.');
      else announce(`Nothing was exported. ${(error instanceof ApiFailure ? error : noAnswer()).message}`);
    } finally {
      setRunning(undefined);
    }
  }

  return (['csv', 'ndjson'] as const).map((format) => (
    <Button key={format} isBusy={running !== undefined} onPress={() => void start(format)}>
      {running === format ? 'Exporting…' : `Export ${format.toUpperCase()}`}
    </Button>
  ));
}
