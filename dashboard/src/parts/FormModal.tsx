import { Button, Group, Modal, Stack } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { type ReactNode, useRef } from 'react'
import type { Action } from '../api/hooks.ts'
import { t } from '../texts/en.ts'
import type { Edits } from './edits.tsx'
import { useSubmit } from './submit.tsx'
import { isToBeLost } from './unsaved.tsx'

interface FormModalProps<Values extends Record<string, unknown>> {
  title: string
  opened: boolean
  onClose(): void
  initial: Values
  action: Action<Values>
  /** Of a form that edits: where its record is read, so that nobody's change is overwritten. */
  edits?: Edits<Values> | undefined
  /** What its button says; the verb of what happens, and of money the amount. */
  verb: string | ((values: Values) => string)
  validate?: Parameters<typeof useForm<Values>>[0] extends infer Options
    ? Options extends { validate?: infer V }
      ? V
      : never
    : never
  children(form: UseFormReturnType<Values>): ReactNode
  /** With what the server answered. */
  onDone?(answer: unknown): void
  size?: string
}

/**
 * A form in a dialog: what the server finds wrong with a field stands at that field. What was typed
 * is not lost by a press beside it, and only after a question by Esc or "back".
 */
export function FormModal<Values extends Record<string, unknown>>(props: FormModalProps<Values>) {
  const isDirty = useRef<() => boolean>(() => false)
  const leave = () => {
    if (!isDirty.current()) return props.onClose()
    void isToBeLost(t.leave.discardTitle, t.leave.discard, t.leave.keep).then(
      (isLost) => isLost && props.onClose(),
    )
    return undefined
  }
  return (
    <Modal opened={props.opened} onClose={leave} title={props.title} size={props.size ?? 'md'}>
      {props.opened && <Body {...props} isDirty={isDirty} />}
    </Modal>
  )
}

function Body<Values extends Record<string, unknown>>({
  initial,
  action,
  edits,
  verb,
  validate,
  children,
  onClose,
  onDone,
  isDirty,
}: FormModalProps<Values> & { isDirty: React.RefObject<() => boolean> }) {
  const form = useForm<Values>({
    initialValues: initial,
    ...(validate && { validate: validate as never }),
  })
  isDirty.current = () => form.isDirty()
  const done = (answer: unknown) => {
    onClose()
    onDone?.(answer)
  }
  const { submit, says, isPending } = useSubmit(form, action, done, { edits, isDialog: true })
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {says}
        {children(form)}
        <Group justify="flex-end" className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {t.action.cancel}
          </Button>
          <Button type="submit" loading={isPending}>
            {typeof verb === 'function' ? verb(form.values) : verb}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
