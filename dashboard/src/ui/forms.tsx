import { Alert, Group, Modal, Stack } from '@mantine/core'
import type { UseFormInput } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { type ReactNode, useRef, useState } from 'react'
import type { ApiError } from '../api/call.ts'
import { type Action, useAction } from '../api/hooks.ts'
import { ActionButton } from './buttons.tsx'
import { Conflict, type Edits, useEdits } from './edit-conflict.tsx'
import { confirmDiscard, useUnsaved } from './unsaved.tsx'
import { type FormState, useForm } from './use-form.ts'
import { formatState } from './values.tsx'

export interface DialogProps {
  opened: boolean
  onClose(): void
}

interface FormModalProps<Values extends Record<string, unknown>, Answer> extends DialogProps {
  title: string
  initial: Values
  action: Action<Values, Answer>
  /** Where to read the record that is being edited, in order to detect conflicting changes. */
  edits?: Edits<Values> | undefined
  /** The label of the button: a specific verb, with the amount if money moves. */
  verb: string | ((values: Values) => string)
  validate?: UseFormInput<Values>['validate']
  children(form: FormState<Values>): ReactNode
  onDone?(answer: Answer): void
  size?: string
}

/**
 * The server's errors appear next to their fields. A click outside does not close the dialog. Esc
 * and "Back" ask before they discard what was typed.
 */
export function FormModal<Values extends Record<string, unknown>, Answer = unknown>(
  props: FormModalProps<Values, Answer>,
) {
  const isDirty = useRef<() => boolean>(() => false)
  const leave = () => {
    if (!isDirty.current()) return props.onClose()
    void confirmDiscard('Discard your changes?', 'Discard', 'Keep editing').then(
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

function Body<Values extends Record<string, unknown>, Answer>({
  initial,
  action,
  edits,
  verb,
  validate,
  children,
  onClose,
  onDone,
  isDirty,
}: FormModalProps<Values, Answer> & { isDirty: React.RefObject<() => boolean> }) {
  const form = useForm<Values>({ initialValues: initial, validate })
  isDirty.current = () => form.isDirty()
  const done = (answer: Answer) => {
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
          <ActionButton label="Cancel" onClick={onClose} />
          <ActionButton
            label={typeof verb === 'function' ? verb(form.values) : verb}
            isMain
            type="submit"
            loading={isPending}
          />
        </Group>
      </Stack>
    </form>
  )
}

/**
 * How many times a form is sent again automatically, if other fields of its record have changed.
 */
const REPEATS_MAX = 3

interface SubmitOptions<Values> {
  /** Where to read the record that is being edited. Absent for a new record. */
  edits?: Edits<Values> | undefined
  /** Whether the form is in a dialog, which asks before it closes. */
  isDialog?: boolean
}

/**
 * Submits a form. The server's errors appear next to their inputs. `says` contains the errors of
 * fields without an input on the screen, and conflicts with other people's changes.
 */
export function useSubmit<Values extends Record<string, unknown>, Answer = unknown>(
  form: FormState<Values>,
  action: Action<Values, Answer>,
  onDone: (answer: Answer, values: Values) => void,
  { edits, isDialog = false }: SubmitOptions<Values> = {},
) {
  const edited = useEdits(form, edits)
  const [isLooking, setLooking] = useState(false)
  const [elsewhere, setElsewhere] = useState<string[]>([])
  const act = useAction<Answer, Values>({
    ...action,
    ifMatch: edited.ifMatch,
    caught: (error) => isChanged(error) || Object.keys(error.fields).length > 0,
  })
  /** The last values that were sent without being typed, such as the draft flag. */
  const beside = useRef<Partial<Values>>({})
  useUnsaved(() => form.isDirty(), isDialog)

  const put = (values: Values, repeats = 0) => {
    edited.saving()
    setElsewhere([])
    // Excludes values that are sent without being typed, such as the draft flag.
    const typed = form.getValues()
    act.mutate(values, {
      onSuccess: (answer) => {
        edited.saved(values, answer as { etag?: string } | undefined)
        form.resetDirty(typed)
        onDone(answer, values)
      },
      onError: (error) => {
        edited.saved(undefined)
        if (isChanged(error)) {
          void tried(async () => {
            if (!(await edited.isToRepeat())) return
            if (repeats >= REPEATS_MAX)
              throw new Error(
                'Someone else keeps changing this record, so your changes are not saved yet. Try again in a moment.',
              )
            put(values, repeats + 1)
          })
        }
        form.showErrors(error)
        setElsewhere(
          Object.entries(error.fields)
            .filter(([field]) => !form.hasInput(field))
            .map(([field, [says]]) => `${nameOf(field)} ${says}`),
        )
      },
    })
  }
  const send = (values: Values) => {
    const typed = form.getValues()
    const isTyped = ([name, value]: [string, unknown]) => typed[name] === value
    const others = Object.entries(values).filter((one) => !isTyped(one))
    beside.current = Object.fromEntries(others) as Partial<Values>
    if (!edits || edited.ifMatch()) return put(values)
    return void tried(async () => {
      if (await edited.mayGo()) put(values)
    })
  }
  const tried = async (work: () => Promise<void>) => {
    setLooking(true)
    try {
      await work()
    } catch (error) {
      const { message } = error as Error
      notifications.show({ title: 'Something went wrong', message, color: 'red' })
    } finally {
      setLooking(false)
    }
  }

  const wrong = elsewhere.length > 0 && (
    <Alert color="red" ref={scrollTo}>
      {elsewhere.join('. ')}
    </Alert>
  )
  // Includes what the user has typed since the refusal.
  const again = form.onSubmit((values) => send({ ...values, ...beside.current }))
  const { theirs } = edited
  const conflict = edits && theirs && (
    <Conflict form={form} edits={edits} theirs={theirs} of={edited} again={() => again()} />
  )
  const says = (wrong || conflict) && (
    <>
      {conflict}
      {wrong}
    </>
  )
  return { submit: form.onSubmit(send), send, says, isPending: act.isPending || isLooking }
}

const isChanged = (error: ApiError): boolean => error.code === 'record_changed'

/** The button of a long form is far below its errors. */
const scrollTo = (alert: HTMLElement | null): void => alert?.scrollIntoView({ block: 'center' })

/** "Line items" for `lineItems`, and "Options 1 values" for `options.0.values`. */
const nameOf = (field: string): string =>
  formatState(field.replace(/\.(\d+)/g, (_, i) => ` ${Number(i) + 1}`).replaceAll('.', ' '))
