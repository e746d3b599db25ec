import { AppError } from '@mostrador/kit/rpc/errors';
import { waitFor } from '@mostrador/testing/wait';
import type { WorkflowHandle } from '@temporalio/client';
import { currentDetails } from '../../test/current-details.ts';
import { again, done, refusedOnce, type StagedAppointment, untilSignal, type WorkflowStage } from '../../test/stage.ts';
import { reportScenarios } from './report-scenarios.ts';

const hourMs = 60 * 60 * 1000;

/** Runs a workflow until its history contains what the scenario's name says. */
type Scenario = (stage: WorkflowStage) => Promise<{ workflow: WorkflowHandle }>;

/**
 * The workflow histories that every later version of the code must replay, recorded in `histories/<name>.json`. Never
 * record one again to make a code change pass. Put the change behind `patched` instead. Then move the histories of the
 * old code to `histories/before-<patch>/`, until no workflow of that time is open anywhere, and record the new code's.
 */
export const scenarios: Record<string, Scenario> = {
  'synced-at-once': async (stage) => {
    const appointment = stage.appointment(() => done);
    await appointment.signal('created');
    await appointment.workflow.result();
    return appointment;
  },

  'retried-twice-then-synced': async (stage) => {
    const appointment = stage.appointment((look) => (look <= 2 ? again(100, 'calendar_unavailable') : done));
    await appointment.signal('created');
    await appointment.workflow.result();
    return appointment;
  },

  'service-away-then-synced': async (stage) => {
    const appointment = stage.appointment((look) => {
      if (look === 1) throw new AppError('service_unavailable');
      return done;
    });
    await appointment.signal('created');
    await appointment.workflow.result();
    return appointment;
  },

  'cancelled-in-mid-wait': async (stage) => {
    const appointment = stage.appointment((look) => (look === 1 ? again(hourMs, 'calendar_unavailable') : done));
    await appointment.signal('created');
    await waits(appointment);
    await appointment.signal('cancelled');
    await appointment.workflow.result();
    return appointment;
  },

  'needs-attention-then-reconnected': async (stage) => {
    const appointment = stage.appointment((look) => (look === 1 ? untilSignal('credentials_refused') : done));
    await appointment.signal('created');
    await waits(appointment);
    await appointment.signal('calendar_connected');
    await appointment.workflow.result();
    return appointment;
  },

  'changed-during-a-look': async (stage) => {
    const looking = Promise.withResolvers<void>();
    const appointment = stage.appointment(async (look) => {
      if (look === 1) await looking.promise;
      return done;
    });
    await appointment.signal('created');
    await waitFor(() => appointment.looks() === 1, { description: 'the first step' });
    await appointment.signal('changed');
    looking.resolve();
    await appointment.workflow.result();
    return appointment;
  },

  'step-refused-then-mended': async (stage) => {
    const appointment = stage.appointment(refusedOnce);
    await appointment.signal('created');
    await waits(appointment);
    await appointment.signal('overdue');
    await appointment.workflow.result();
    return appointment;
  },

  'cancelled-by-an-operator': async (stage) => {
    const appointment = stage.appointment(() => untilSignal('credentials_refused'));
    await appointment.signal('created');
    await waits(appointment);
    await appointment.workflow.cancel();
    await appointment.workflow.result().catch(() => {});
    return appointment;
  },

  /** Returns the run that continued as new, which the test server suggests early. */
  'continued-as-new': async (stage) => {
    const appointment = stage.appointment(() => untilSignal('credentials_refused'));
    await appointment.signal('created');
    const { runId } = await appointment.workflow.describe();
    for (let look = 1; (await appointment.workflow.describe()).runId === runId; look += 1) {
      await waitFor(() => appointment.looks() >= look, { description: `step ${look}` });
      await appointment.signal('overdue');
    }
    return { ...appointment, workflow: stage.client.workflow.getHandle(appointment.workflow.workflowId, runId) };
  },

  'reply-waited-for-quiet-then-sent': async (stage) => {
    const lead = stage.reply((look) => (look <= 2 ? again(100, 'the lead may write more') : done));
    await lead.signal('received');
    await lead.workflow.result();
    return lead;
  },

  'delivery-drained-at-once': async (stage) => {
    const lead = stage.lead(() => done);
    await lead.signal('message_accepted');
    await lead.workflow.result();
    return lead;
  },

  'delivery-service-away-then-drained': async (stage) => {
    const lead = stage.lead((look) => {
      if (look <= 2) throw new AppError('service_unavailable');
      return done;
    });
    await lead.signal('message_accepted');
    await lead.workflow.result();
    return lead;
  },

  'delivery-step-refused-then-mended': async (stage) => {
    const lead = stage.lead(refusedOnce);
    await lead.signal('message_accepted');
    await waits(lead);
    await lead.signal('overdue');
    await lead.workflow.result();
    return lead;
  },

  'delivery-more-than-a-step': async (stage) => {
    const lead = stage.lead((look) => (look <= 2 ? again(0, 'more may be due') : done));
    await lead.signal('message_accepted');
    await lead.workflow.result();
    return lead;
  },

  'delivery-throttled-then-drained': async (stage) => {
    const lead = stage.lead((look) => (look <= 2 ? again(100, 'attempt 1 failed (whatsapp_131056)') : done));
    await lead.signal('message_accepted');
    await lead.workflow.result();
    return lead;
  },

  'delivery-unknown-then-settled': async (stage) => {
    const lead = stage.lead((look) =>
      look === 1 ? again(hourMs, 'the outcome of the previous message is unknown') : done,
    );
    await lead.signal('message_accepted');
    await waits(lead);
    await lead.signal('message_settled');
    await lead.workflow.result();
    return lead;
  },

  'delivery-channel-reconnected': async (stage) => {
    const lead = stage.lead((look) => (look === 1 ? untilSignal('no channel is connected') : done));
    await lead.signal('message_accepted');
    await waits(lead);
    await lead.signal('channel_connected');
    await lead.workflow.result();
    return lead;
  },

  'delivery-accepted-during-a-look': async (stage) => {
    const looking = Promise.withResolvers<void>();
    const lead = stage.lead(async (look) => {
      if (look === 1) await looking.promise;
      return done;
    });
    await lead.signal('message_accepted');
    await waitFor(() => lead.looks() === 1, { description: 'the first step' });
    await lead.signal('message_accepted');
    looking.resolve();
    await lead.workflow.result();
    return lead;
  },

  'shard-pumped-then-idle': async (stage) => {
    const shard = stage.shard((look) => ({ state: look <= 2 ? 'open' : 'closed' }));
    await shard.signal('message_accepted');
    await shard.workflow.result();
    return shard;
  },

  'shard-waited-then-pumped': async (stage) => {
    const shard = stage.shard((look) => ({ wake_at: look <= 2 ? again(100, '').wake_at : null }));
    await shard.signal('message_accepted');
    await shard.workflow.result();
    return shard;
  },

  'shard-signalled-in-mid-wait': async (stage) => {
    const shard = stage.shard((look) => ({ wake_at: look === 1 ? again(hourMs, '').wake_at : null }));
    await shard.signal('message_accepted');
    await waits(shard);
    await shard.signal('message_accepted');
    await shard.workflow.result();
    return shard;
  },

  'shard-signalled-during-a-step': async (stage) => {
    const looking = Promise.withResolvers<void>();
    const shard = stage.shard(async (look) => {
      if (look === 1) await looking.promise;
      return {};
    });
    await shard.signal('message_accepted');
    await waitFor(() => shard.looks() === 1, { description: 'the first request' });
    await shard.signal('retried');
    looking.resolve();
    await shard.workflow.result();
    return shard;
  },

  'shard-service-away-then-pumped': async (stage) => {
    const shard = stage.shard((look) => {
      if (look <= 2) throw new AppError('service_unavailable');
      return {};
    });
    await shard.signal('message_accepted');
    await shard.workflow.result();
    return shard;
  },

  'shard-replaced-then-pumped': async (stage) => {
    const shard = stage.shard((look) => ({ state: look === 1 ? 'replaced' : 'closed' }));
    await shard.signal('message_accepted');
    await waits(shard);
    await shard.signal('overdue');
    await shard.workflow.result();
    return shard;
  },

  'followup-waited-then-sent': async (stage) => {
    const followup = stage.followup((look) => {
      if (look === 1) return again(300, 'it is not due yet');
      return look === 2 ? again(100, 'the channel has not taken it yet') : done;
    });
    await followup.signal('scheduled');
    await followup.workflow.result();
    return followup;
  },

  'followup-cancelled-in-mid-wait': async (stage) => {
    const followup = stage.followup((look) => (look === 1 ? again(hourMs, 'it is not due yet') : done));
    await followup.signal('scheduled');
    await waits(followup);
    await followup.signal('cancelled');
    await followup.workflow.result();
    return followup;
  },

  'followup-window-moved': async (stage) => {
    const followup = stage.followup((look) => {
      if (look === 1) return again(hourMs, 'the sending window is closed');
      return look === 2 ? again(100, 'the sending window is closed') : done;
    });
    await followup.signal('scheduled');
    await waits(followup);
    await followup.signal('rescheduled');
    await followup.workflow.result();
    return followup;
  },

  'followup-settled-while-sending': async (stage) => {
    const followup = stage.followup((look) => (look === 1 ? again(hourMs, 'the channel has not taken it yet') : done));
    await followup.signal('scheduled');
    await waits(followup);
    await followup.signal('message_settled');
    await followup.workflow.result();
    return followup;
  },

  /** The timer fires before the follow-up is due by PostgreSQL's clock, so the step answers the same due time again. */
  'followup-fired-early': async (stage) => {
    const followup = stage.followup((look) => (look <= 3 ? again(0, 'it is not due yet') : done));
    await followup.signal('scheduled');
    await followup.workflow.result();
    return followup;
  },

  'followup-cancelled-during-a-look': async (stage) => {
    const looking = Promise.withResolvers<void>();
    const followup = stage.followup(async (look) => {
      if (look > 1) return done;
      await looking.promise;
      return again(hourMs, 'it is not due yet');
    });
    await followup.signal('scheduled');
    await waitFor(() => followup.looks() === 1, { description: 'the first step' });
    await followup.signal('cancelled');
    looking.resolve();
    await followup.workflow.result();
    return followup;
  },

  'calendar-watched-until-disconnected': async (stage) => {
    const calendar = stage.calendar((look) =>
      look <= 2 ? again(100, 'the next look is due then') : look === 3 ? again(hourMs, 'it is quiet') : done,
    );
    await calendar.signal('connected');
    await waitFor(() => calendar.looks() === 3, { description: 'the third look' });
    await waits(calendar);
    await calendar.signal('disconnected');
    await calendar.workflow.result();
    return calendar;
  },

  'webhook-failed-then-well-again': async (stage) => {
    const endpoint = stage.webhook((look) => (look <= 2 ? again(100, 'the endpoint fails') : done));
    await endpoint.signal('degraded');
    await endpoint.workflow.result();
    return endpoint;
  },

  'webhook-planned-while-it-waits': async (stage) => {
    const endpoint = stage.webhook((look) => (look === 1 ? again(hourMs, 'the next delivery is due then') : done));
    await endpoint.signal('degraded');
    await waits(endpoint);
    await endpoint.signal('planned');
    await endpoint.workflow.result();
    return endpoint;
  },

  ...reportScenarios,
};

/** Resolves when the first step has ended and the workflow waits. */
async function waits({ workflow }: Pick<StagedAppointment, 'workflow'>): Promise<void> {
  await waitFor(async () => (await currentDetails(workflow)).startsWith('Waits'), {
    description: 'the workflow to wait',
  });
}
