import { Alert } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type Action, useAction } from '../api/hooks.ts'

/**
 * Sends a form: what the server finds wrong with a field stands at that field, and `says` has what
 * is wrong with one that is not shown.
 */
export function useSubmit<Values extends Record<string, unknown>, Answer = unknown>(
  form: UseFormReturnType<Values>,
  action: Action<Values>,
  onDone: (answer: Answer, values: Values) => void,
) {
  const act = useAction<Answer, Values>(action)
  const send = (values: Values) =>
    act.mutate(values, {
      onSuccess: (answer) => onDone(answer, values),
      onError: (error) => {
        for (const [field, [first]] of Object.entries(error.fields)) {
          form.setFieldError(field, sentence(first ?? ''))
        }
      },
    })
  const isShown = (field: string) => field.split('.')[0]! in form.values
  const elsewhere = Object.entries(act.error?.fields ?? {}).filter(([field]) => !isShown(field))
  const says = elsewhere.length > 0 && (
    <Alert color="red">{elsewhere.map(([field, says]) => `${field} ${says[0]}`).join('. ')}</Alert>
  )
  return { submit: form.onSubmit(send), send, says, isPending: act.isPending }
}

/** "must not be empty" reads "Must not be empty". */
const sentence = (text: string): string => text.replace(/^./, (first) => first.toUpperCase())
