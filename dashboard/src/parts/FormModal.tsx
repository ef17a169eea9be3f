import { Button, Group, Modal, Stack } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import type { Action } from '../api/hooks.ts'
import { t } from '../texts/en.ts'
import { useSubmit } from './submit.tsx'

interface FormModalProps<Values extends Record<string, unknown>> {
  title: string
  opened: boolean
  onClose(): void
  initial: Values
  action: Action<Values>
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

/** A form in a dialog: what the server finds wrong with a field stands at that field. */
export function FormModal<Values extends Record<string, unknown>>(props: FormModalProps<Values>) {
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={props.title}
      size={props.size ?? 'md'}
    >
      {props.opened && <Body {...props} />}
    </Modal>
  )
}

function Body<Values extends Record<string, unknown>>({
  initial,
  action,
  verb,
  validate,
  children,
  onClose,
  onDone,
}: FormModalProps<Values>) {
  const form = useForm<Values>({
    initialValues: initial,
    ...(validate && { validate: validate as never }),
  })
  const { submit, says, isPending } = useSubmit(form, action, (answer) => {
    onClose()
    onDone?.(answer)
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {says}
        {children(form)}
        <Group justify="flex-end">
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
