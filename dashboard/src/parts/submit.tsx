import { Alert } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useRef, useState } from 'react'
import type { ApiError } from '../api/call.ts'
import { type Action, useAction } from '../api/hooks.ts'
import { t } from '../texts/en.ts'
import { Conflict, type Edits, useEdits } from './edits.tsx'
import { useUnsaved } from './unsaved.tsx'

/** How often a form is sent again by itself, when something else of its record changed. */
const REPEATS_MAX = 3

interface SubmitOptions<Values> {
  /** Where what it edits is read; none for something new. */
  edits?: Edits<Values> | undefined
  /** Dialogs ask themselves before they are closed. */
  isDialog?: boolean
}

/**
 * Sends a form: what the server finds wrong with a field stands at that field, and `says` has what
 * is wrong with one that is not shown, and what somebody else changed meanwhile.
 */
export function useSubmit<Values extends Record<string, unknown>, Answer = unknown>(
  form: UseFormReturnType<Values>,
  action: Action<Values, Answer>,
  onDone: (answer: Answer, values: Values) => void,
  { edits, isDialog = false }: SubmitOptions<Values> = {},
) {
  const edited = useEdits(form, edits)
  const [isLooking, setLooking] = useState(false)
  const act = useAction<Answer, Values>({
    ...action,
    ifMatch: edited.ifMatch,
    caught: isChanged,
  })
  /** What was sent last beside what is typed: that it is a draft. */
  const beside = useRef<Partial<Values>>({})
  useUnsaved(() => form.isDirty(), isDialog)

  const put = (values: Values, repeats = 0) => {
    edited.saving()
    // What is sent beside it, such as that it is a draft, was not typed.
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
            if (repeats >= REPEATS_MAX) throw new Error(t.conflict.busy)
            put(values, repeats + 1)
          })
        }
        for (const [field, [first]] of Object.entries(error.fields)) {
          form.setFieldError(field, sentence(first ?? ''))
        }
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
      notifications.show({ title: t.error.failed, message, color: 'red' })
    } finally {
      setLooking(false)
    }
  }

  const isShown = (field: string) => field.split('.')[0]! in form.values
  const elsewhere = Object.entries(act.error?.fields ?? {}).filter(([field]) => !isShown(field))
  const wrong = elsewhere.length > 0 && (
    <Alert color="red">{elsewhere.map(([field, says]) => `${field} ${says[0]}`).join('. ')}</Alert>
  )
  // With what was typed since it was refused.
  const again = form.onSubmit((values) => send({ ...values, ...beside.current }))
  const { theirs } = edited
  const conflict = edits && theirs && (
    <Conflict {...{ form, edits, theirs }} of={edited} again={() => again()} />
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

/** "must not be empty" reads "Must not be empty". */
export const sentence = (text: string): string => text.replace(/^./, (first) => first.toUpperCase())
