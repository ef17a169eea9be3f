import { Alert, Button, Group, Radio, Select, Stack, Switch, TagsInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ProfileSettings, UpdateProfileSettingsInput } from '../../../../sdk/src/operations.ts'
import { useAction } from '../../api/hooks.ts'
import { Card } from '../../parts/DetailPage.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { t } from '../../texts/en.ts'
import { BEARERS, POLICIES } from './texts.ts'

interface Values extends Record<string, unknown> {
  feeBearer: string
  virtualAccountPolicy: string
  needsApproval: boolean
  transferApprovalAbove: number | string
  origins: string[]
  timeZone: string
}

const valuesOf = (of: ProfileSettings): Values => ({
  feeBearer: of.feeBearer,
  virtualAccountPolicy: of.virtualAccountPolicy,
  needsApproval: of.transferApprovalAbove !== null,
  transferApprovalAbove: of.transferApprovalAbove ?? '',
  origins: of.origins,
  timeZone: of.timeZone,
})

const inputOf = (values: Values): UpdateProfileSettingsInput => ({
  feeBearer: values.feeBearer as 'business',
  virtualAccountPolicy: values.virtualAccountPolicy as 'exact',
  transferApprovalAbove: values.needsApproval ? Number(values.transferApprovalAbove) : null,
  origins: values.origins,
  timeZone: values.timeZone,
})

/** Fees, deposits, approval, origins and time zone: one form, saved at once. */
export function Rules({ of, mayWrite }: { of: ProfileSettings; mayWrite: boolean }) {
  const form = useForm<Values>({
    initialValues: valuesOf(of),
    validate: {
      transferApprovalAbove: (amount, { needsApproval }) =>
        needsApproval && amount === '' ? 'Say above which amount.' : null,
    },
  })
  const save = useAction<unknown, Values>({
    path: 'user-service/profile/settings',
    method: 'PUT',
    send: inputOf,
    done: t.action.saved,
  })
  const submit = form.onSubmit((values) =>
    save.mutate(values, {
      onError: ({ fields }) => {
        for (const [field, [says]] of Object.entries(fields)) form.setFieldError(field, says)
      },
    }),
  )
  // Of one of several the server names its place: origins.0.
  const elsewhere = Object.entries(save.error?.fields ?? {}).filter(
    ([field]) => !(field in form.values),
  )
  return (
    <Card title="Money and rules">
      <form onSubmit={submit} noValidate>
        <fieldset disabled={!mayWrite} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
          <Stack gap="lg">
            {elsewhere.length > 0 && (
              <Alert color="red">
                {elsewhere.map(([field, says]) => `${field} ${says[0]}`).join('. ')}
              </Alert>
            )}
            <Radio.Group
              label="Who bears the fee of a payment"
              {...form.getInputProps('feeBearer')}
            >
              <Stack gap="xs" mt="xs">
                {BEARERS.map((one) => (
                  <Radio key={one.value} {...one} />
                ))}
              </Stack>
            </Radio.Group>
            <Radio.Group
              label="When a transfer to a virtual account is not the exact amount"
              {...form.getInputProps('virtualAccountPolicy')}
            >
              <Stack gap="xs" mt="xs">
                {POLICIES.map((one) => (
                  <Radio key={one.value} {...one} />
                ))}
              </Stack>
            </Radio.Group>
            <Stack gap="xs">
              <Switch
                label="Large transfers need approval"
                description="They wait until a second person approves them."
                {...form.getInputProps('needsApproval', { type: 'checkbox' })}
              />
              {form.values.needsApproval && (
                <MoneyInput
                  label="Above"
                  currency={of.currency}
                  maw={280}
                  required
                  {...form.getInputProps('transferApprovalAbove')}
                />
              )}
            </Stack>
            <TagsInput
              label="Origins of your shop"
              description="Where payers may be sent back to, such as https://shop.example. Press Enter after each."
              placeholder={form.values.origins.length === 0 ? 'https://shop.example' : ''}
              {...form.getInputProps('origins')}
            />
            <Select
              label="Time zone"
              description="In which days begin and end: of lists, totals and settlements."
              data={zonesWith(of.timeZone)}
              searchable
              limit={100}
              maw={360}
              allowDeselect={false}
              {...form.getInputProps('timeZone')}
            />
            {mayWrite && (
              <Group justify="flex-end">
                <Button variant="default" disabled={!form.isDirty()} onClick={() => form.reset()}>
                  Undo
                </Button>
                <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
                  Save the rules
                </Button>
              </Group>
            )}
          </Stack>
        </fieldset>
      </form>
    </Card>
  )
}

/** What the browser knows, and the one in use, which it may call by another name. */
const zonesWith = (used: string): string[] => [
  ...new Set([used, ...Intl.supportedValuesOf('timeZone')]),
]
