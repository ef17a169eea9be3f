import { Radio, Select, Stack, Switch, TextInput } from '@mantine/core'
import type { SplitPage } from '../../../../sdk/src/operations.ts'
import type { Envelope } from '../../api/hooks.ts'
import { FormModal } from '../../parts/FormModal.tsx'
import { t } from '../../texts/splits.ts'

interface Values extends Record<string, unknown> {
  name: string
  slug: string
  splitType: string
  feeBearer: string
  status: boolean
}

/** Stands for "as the settings of the business say". */
const AS_BUSINESS = 'as-business'

const BEARERS = [
  { value: AS_BUSINESS, label: t.asYourSettingsSay },
  { value: 'business', label: t.you },
  { value: 'customer', label: t.thePayer },
  { value: 'subaccounts', label: t.theSubaccounts },
]

const valuesOf = (of: SplitPage | undefined): Values => ({
  name: of?.name ?? '',
  slug: of?.slug ?? '',
  splitType: of?.splitType ?? 'percentage',
  feeBearer: of?.feeBearer ?? AS_BUSINESS,
  status: of?.status ?? true,
})

/** Makes a split page, or changes one; its shares are given on its own screen. */
export function SplitForm({
  of,
  opened,
  onClose,
  onDone,
}: {
  /** The one to change; none to make one. */
  of?: SplitPage
  opened: boolean
  onClose(): void
  /** With its id. */
  onDone?(id: number): void
}) {
  return (
    <FormModal<Values>
      title={of ? t.changeTheSplitPage : t.newSplitPage}
      opened={opened}
      onClose={onClose}
      initial={valuesOf(of)}
      edits={
        of && {
          path: `transaction-service/split-page/${of.id}`,
          valuesOf: ({ data }: Envelope<SplitPage>) => valuesOf(data),
          labels: { slug: 'Link', splitType: 'Shares', status: 'Active' },
        }
      }
      action={{
        path: of ? `transaction-service/split-page/${of.id}` : 'transaction-service/split-page',
        method: of ? 'PUT' : 'POST',
        send: (values) => inputOf(values, of),
        done: of ? t.theSplitPageIsChanged : t.theSplitPageIsThere,
        // Whether it takes payments; what else was changed with it stays.
        undo: ({ status }) => {
          if (!of || status === of.status) return undefined
          const path = `transaction-service/split-page/${of.id}`
          const says = t.isAgain(of.name, of.status ? 'active' : 'inactive')
          return { path, method: 'PUT', body: { status: of.status }, says }
        },
      }}
      validate={{ name: (name) => (name.trim() ? null : t.itNeedsAName) }}
      verb={of ? t.saveTheChanges : t.makeTheSplitPage}
      onDone={(answer) => onDone?.((answer as Envelope<SplitPage>).data.id)}
    >
      {(form) => (
        <>
          <TextInput
            label={t.name}
            description={t.payersReadItOnThe}
            required
            data-autofocus
            {...form.getInputProps('name')}
          />
          <TextInput
            label={t.link}
            description={t.slugRule}
            leftSection="/pay/"
            leftSectionWidth={54}
            maxLength={64}
            {...form.getInputProps('slug')}
          />
          {(of?.subaccounts.length ?? 0) === 0 && (
            <Radio.Group label={t.shares} {...form.getInputProps('splitType')}>
              <Stack gap="xs" mt="xs">
                <Radio value="percentage" label={t.inPercent} description={t.eachGetsAPartOf} />
                <Radio value="fixed" label={t.fixedAmounts} description={t.eachGetsTheSameAmount} />
              </Stack>
            </Radio.Group>
          )}
          <Select
            label={t.whoBearsTheFee}
            data={BEARERS}
            allowDeselect={false}
            {...form.getInputProps('feeBearer')}
          />
          <Switch
            label={t.active}
            description={t.anInactivePageTakesNo}
            {...form.getInputProps('status', { type: 'checkbox' })}
          />
        </>
      )}
    </FormModal>
  )
}

function inputOf({ name, slug, splitType, feeBearer, status }: Values, of: SplitPage | undefined) {
  const bearer = feeBearer === AS_BUSINESS ? null : feeBearer
  return {
    name: name.trim(),
    status,
    ...(slug && slug !== of?.slug && { slug }),
    ...(splitType !== of?.splitType && { splitType }),
    ...(bearer !== (of?.feeBearer ?? null) && { feeBearer: bearer }),
  }
}
