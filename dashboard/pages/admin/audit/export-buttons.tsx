import { useState } from 'preact/hooks';
import { ApiFailure, noAnswer } from '../../../api/api-failure.js';
import { useGraphql } from '../../../api/session-context.js';
import { useAnnounce } from '../../../components/announcer.js';
import { Button } from '../../../components/button.js';
import type { AuditLogVariables } from './audit-documents.js';
import { exportAudit, MOST_EXPORTED, type ExportFormat } from './export-audit.js';

/** Saves the records that match the filters as a file. */
export function ExportButtons({ variables }: { variables: AuditLogVariables }) {
  const run = useGraphql();
  const announce = useAnnounce();
  const [running, setRunning] = useState<ExportFormat>();

  async function start(format: ExportFormat) {
    setRunning(format);
    try {
      const { count, hasMore } = await exportAudit(run, variables, format);
      announce(
        hasMore
          ? `Exported the newest ${MOST_EXPORTED} records. For more, narrow the filters or use the command line.`
          : `Exported ${count} records.`,
      );
    } catch (error) {
      announce(`Nothing was exported. ${(error instanceof ApiFailure ? error : noAnswer()).message}`);
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
