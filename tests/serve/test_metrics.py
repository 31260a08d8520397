"""What is counted, in the text that Prometheus reads."""

from llt.serve.metrics import Metrics
from tests.serve.made import ask, body, field, serving, tell
from tests.waiting import until


def test_metrics_count_what_was_answered(darcy):
    with serving({"darcy": darcy}) as running:
        for _ in range(3):
            ask(running.port, body=body(field()))
        ask(running.port, body=b"{")
        ask(running.port, "/elsewhere/1")
        head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n{"
        tell(running.port, head, half=True)
        until(lambda: 'status="499"' in ask(running.port, "/metrics").body.decode())
        text = ask(running.port, "/metrics").body.decode()
    lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#")
    assert lines['llt_requests_total{path="/predict",status="200"}'] == "3"
    assert lines['llt_requests_total{path="/predict",status="400"}'] == "1"
    assert lines['llt_requests_total{path="/predict",status="499"}'] == "1"
    assert lines['llt_requests_total{path="other",status="404"}'] == "1"
    assert lines['llt_request_seconds_count{path="/predict"}'] == "5"
    assert lines['llt_request_seconds_bucket{path="/predict",le="+Inf"}'] == "5"
    assert lines["llt_batch_size_sum"] == "3.0" and lines["llt_waiting"] == "0.0"
    assert float(lines["process_resident_memory_bytes"]) > 2**20


def test_metrics_are_text_that_prometheus_reads():
    metrics = Metrics({"device": 'a"b\\c\nd'}, {"llt_waiting": lambda: 3.0})
    metrics.asked(4, 0.05)
    text = metrics.text()
    assert 'llt_info{device="a\\"b\\\\c\\nd"} 1\n' in text and "\nllt_waiting 3.0\n" in text
    assert 'llt_batch_size_bucket{le="2"} 0\n' in text
    assert 'llt_batch_size_bucket{le="4"} 1\n' in text
    assert 'llt_predict_seconds_bucket{le="0.05"} 1\n' in text
