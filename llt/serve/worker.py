"""One thread that owns the models: questions come in any order, those of a kind are asked together.

Whoever was alone is not made to wait. Once several ask at the same time, a question waits a few
milliseconds for others of its kind, since a device computes many about as fast as one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from concurrent.futures import Future
from threading import Condition, Thread
from time import monotonic
from typing import Any, Generic, Protocol, TypeVar

WAIT = 0.003  # seconds for others of the same kind

A = TypeVar("A")
A_co = TypeVar("A_co", covariant=True)


class Question(Protocol[A_co]):
    @property
    def kind(self) -> Hashable | None:
        """Of questions that may be asked together; None where it is asked alone."""

    @property
    def most(self) -> int:
        """How many of its kind are asked together."""

    def ask(self) -> A_co: ...

    def ask_with(self, others: Sequence[Any]) -> Sequence[A_co]:
        """Its own answer, then those of others of its kind."""


class Observer(Protocol):
    """Is told what the worker did."""

    def asked(self, together: int, seconds: float) -> None: ...


class Worker(Generic[A]):
    """Answers questions until it is stopped."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._waiting: deque[tuple[float, Question[A], Future[A]]] = deque()
        self._changed = Condition()
        self._stopping = False
        self._last = 1  # questions that were asked together
        self._thread = Thread(target=self._work, name="llt-serve", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, seconds: float) -> None:
        """End after the question that is being asked; others are not asked any more."""
        with self._changed:
            self._stopping = True
            while self._waiting:
                self._waiting.popleft()[-1].cancel()
            self._changed.notify()
        self._thread.join(seconds)

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def submit(self, question: Question[A]) -> Future[A]:
        """Its answer, in the future; one that is canceled before its turn is not computed."""
        answer: Future[A] = Future()
        with self._changed:
            if self._stopping:  # nobody will ask it
                answer.cancel()
                return answer
            self._waiting.append((monotonic(), question, answer))
            self._changed.notify()
        return answer

    def _work(self) -> None:
        while batch := self._next():
            questions, answers = [], []
            for question, answer in batch:
                if answer.set_running_or_notify_cancel():
                    questions.append(question)
                    answers.append(answer)
            if questions:
                begin = monotonic()
                self._answer(questions, answers)
                self._last = len(questions)
                self._observer.asked(len(questions), monotonic() - begin)

    def _next(self) -> list[tuple[Question[A], Future[A]]]:
        """Those to be asked together, the one that waits longest first; empty at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._stopping)
            if self._stopping:
                return []
            since, first, answer = self._waiting.popleft()
            batch = [(first, answer)]
            if first.kind is None:
                return batch
            until = since + WAIT * (self._last > 1)
            while True:
                self._take(first, batch)
                left = until - monotonic()
                if len(batch) >= first.most or left <= 0 or self._stopping:
                    return batch
                self._changed.wait(left)

    def _take(self, first: Question[A], batch: list[tuple[Question[A], Future[A]]]) -> None:
        others = list(self._waiting)
        self._waiting.clear()
        for entry in others:
            _, question, answer = entry
            if len(batch) < first.most and question.kind == first.kind:
                batch.append((question, answer))
            else:
                self._waiting.append(entry)

    def _answer(self, questions: Sequence[Question[A]], answers: Sequence[Future[A]]) -> None:
        """Each gets its answer, or its own error."""
        if len(questions) > 1:
            try:
                found = questions[0].ask_with(questions[1:])
            except Exception:  # of one of them: who it is shows when each is asked alone
                found = ()
            if len(found) == len(questions):
                for answer, one in zip(answers, found, strict=True):
                    answer.set_result(one)
                return
        for question, answer in zip(questions, answers, strict=True):
            try:
                answer.set_result(question.ask())
            except BaseException as error:
                answer.set_exception(error)
