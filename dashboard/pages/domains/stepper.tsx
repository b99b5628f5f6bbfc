import { Icon } from '../../components/icon.js';
import type { Step, StepState } from './domain-progress.js';

const WORDS: Record<StepState, string> = {
  done: 'done',
  current: 'in progress',
  failed: 'needs attention',
  waiting: 'not started',
};

export function Stepper({ steps }: { steps: readonly Step[] }) {
  return (
    <ol class="stepper" aria-label="Progress">
      {steps.map(({ name, state }, at) => (
        <li
          key={name}
          class={`step step-${state}`}
          aria-current={state === 'current' || state === 'failed' ? 'step' : undefined}
        >
          <span class="step-mark" aria-hidden="true">
            {state === 'done' ? <Icon name="check" /> : state === 'failed' ? '!' : at + 1}
          </span>
          {name}
          <span class="visually-hidden">: {WORDS[state]}</span>
        </li>
      ))}
    </ol>
  );
}
